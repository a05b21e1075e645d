// A process whose children each wait for it, or for each other, in one way. It prints
// "ready" and, as its own wait, waits for the first of them to end. Argument: a file
// to lock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_mutex_t robust;
} *shared;

static const char *file;

// Keeps no descriptor but the standard ones, fd as 3, and more as 4 unless negative.
static void only(int fd, int more) {
	if (more >= 0)
		more = fcntl(more, F_DUPFD, 100);
	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD, 100);
		dup2(fd, 3);
	}
	if (more >= 0)
		dup2(more, 4);
	close_range(fd < 0 ? 3 : more < 0 ? 4 : 5, ~0u, 0);
}

// Forks a child that runs wait with fd.
static pid_t child(const char *name, int fd, int more, void (*wait)(void)) {
	pid_t pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	only(fd, more);
	wait();
	pause();
	exit(0);
}

static char byte[1 << 16];

static void reads(void) { read(3, byte, 1); }
static void receives(void) { recv(3, byte, 1, 0); }
static void writes(void) { for (;;) write(3, byte, sizeof byte); }
static void sleeps(void) { pause(); }
static void polls(void) { poll(&(struct pollfd){ 3, POLLIN }, 1, -1); }
static void pollsTwo(void) { poll((struct pollfd[]){ { 3, POLLIN }, { 4, POLLIN } }, 2, -1); }
static void locksMutex(void) { pthread_mutex_lock(&shared->mutex); }
static void locksRobust(void) { pthread_mutex_lock(&shared->robust); }
static void locksToRead(void) { pthread_rwlock_rdlock(&shared->rwlock); }
static void locksFile(void) { flock(open(file, O_RDWR), LOCK_EX); }

static void locksRange(void) {
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
	fcntl(open(strcat(strcpy(byte, file), ".range"), O_RDWR), F_SETLKW, &l);
}

// A file of its own for each way.
static int beside(const char *way) {
	char path[4096];
	snprintf(path, sizeof path, "%s.%s", file, way);
	return open(path, O_RDWR | O_CREAT, 0600);
}

static void locksLeft(void) { flock(beside("left"), LOCK_EX); }

static void locksOFD(void) {
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	fcntl(beside("ofd"), F_OFD_SETLKW, &l);
}

// The one that takes the lock ends: this process has it from then on.
static void inherit(void) {
	int fd = beside("left");
	pid_t pid = fork();
	if (pid == 0) {
		flock(fd, LOCK_EX);
		_exit(0);
	}
	waitpid(pid, 0, 0);
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	fcntl(beside("ofd"), F_OFD_SETLK, &l);
}

static void *holds(void *ready) {
	prctl(PR_SET_NAME, "holder");
	pthread_mutex_lock(&shared->mutex);
	pthread_mutex_lock(&shared->robust);
	pthread_rwlock_wrlock(&shared->rwlock);
	pthread_barrier_wait(ready);
	pause();
	return 0;
}

static void share(void) {
	shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t m;
	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &m);
	pthread_mutexattr_setrobust(&m, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->robust, &m);
	pthread_rwlockattr_t rw;
	pthread_rwlockattr_init(&rw);
	pthread_rwlockattr_setpshared(&rw, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&shared->rwlock, &rw);
}

// A socket connected to one that this process has accepted.
static int connected(void) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "stacksnap-linked-%d", getpid());
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (void *)&a, sizeof a) || listen(listener, 1) || connect(fd, (void *)&a, sizeof a) ||
		accept(listener, 0, 0) < 0)
		_exit(1);
	return fd;
}

// The same by TCP on loopback; the listener may be one for IPv6 that takes IPv4, too.
static int connectedByTCP(int family) {
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	socklen_t size = family == AF_INET ? sizeof to : sizeof a;
	int listener = socket(family, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, family == AF_INET ? (void *)&to : (void *)&a, size) || listen(listener, 1) ||
		getsockname(listener, (void *)&a, &size))
		return -1;
	to.sin_port = a.sin6_port; // where IPv4 has it, too
	if (connect(fd, (void *)&to, sizeof to) || accept(listener, 0, 0) < 0)
		return -1;
	return fd;
}

// The ends of a named pipe, by two names that it has.
static void named(const char *way, int ends[2]) {
	char path[4096], other[4100];
	snprintf(path, sizeof path, "%s.%s", file, way);
	snprintf(other, sizeof other, "%s.too", path);
	if (mkfifo(path, 0600) || link(path, other))
		_exit(1);
	ends[0] = open(path, O_RDONLY | O_NONBLOCK);
	ends[1] = open(other, O_WRONLY);
	fcntl(ends[0], F_SETFL, 0);
}

int main(int argc, char **argv) {
	file = argv[1];
	share();
	int p[2], q[2];
	pipe(p);
	pid_t first = child("reader", p[0], -1, reads);
	close(p[0]);
	pipe(p);
	child("writer", p[1], -1, writes);
	close(p[1]);
	named("in", p);
	child("fifo reader", p[0], -1, reads);
	close(p[0]);
	named("out", p);
	child("fifo writer", p[1], -1, writes);
	close(p[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, p);
	child("pair", p[0], -1, receives);
	close(p[0]);
	int fd = connected();
	child("unix", fd, -1, receives);
	close(fd);
	if ((fd = connectedByTCP(AF_INET)) >= 0)
		child("tcp", fd, -1, receives), close(fd);
	if ((fd = connectedByTCP(AF_INET6)) >= 0)
		child("tcp6", fd, -1, receives), close(fd);
	pipe(p);
	child("poller", p[0], -1, polls);
	close(p[0]);
	pipe(p);
	pipe(q);
	child("two", p[0], q[0], pollsTwo);
	close(p[0]), close(q[0]);
	pipe(p); // of which two have the end that is written to
	child("shared", p[0], -1, reads);
	close(p[0]);
	child("second", p[1], -1, sleeps);
	pipe(p); // of which only another child has it
	child("brother", p[0], -1, reads);
	close(p[0]);
	child("giver", p[1], -1, sleeps);
	close(p[1]);
	pthread_barrier_t ready;
	pthread_barrier_init(&ready, 0, 2);
	pthread_t t;
	pthread_create(&t, 0, holds, &ready);
	pthread_barrier_wait(&ready);
	flock(open(file, O_RDWR | O_CREAT, 0600), LOCK_EX);
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
	fcntl(open(strcat(strcpy(byte, file), ".range"), O_RDWR | O_CREAT, 0600), F_SETLK, &l);
	inherit();
	child("mutex", -1, -1, locksMutex);
	child("robust", -1, -1, locksRobust);
	child("rwlock", -1, -1, locksToRead);
	child("flock", -1, -1, locksFile);
	child("range", -1, -1, locksRange);
	child("left", -1, -1, locksLeft);
	child("ofd", -1, -1, locksOFD);
	puts("ready");
	fflush(stdout);
	waitpid(first, 0, 0);
	return 0;
}
