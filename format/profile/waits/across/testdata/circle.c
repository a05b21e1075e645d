// Two processes that wait for each other, in one of several ways: a child for this
// process, and this one for the child. It prints "ready". Arguments: how, and a file
// beside which others are locked.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct shared {
	pthread_mutex_t mutex[2];
	pthread_barrier_t both; // have what the other wants
} *shared;

static int end[2];       // of a pair of sockets
static const char *file; // to lock
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

static int openLock(int i) {
	char path[4096];
	snprintf(path, sizeof path, "%s.%d", file, i);
	return open(path, O_RDWR | O_CREAT, 0600);
}

static void both(int i) {
	pthread_barrier_wait(&shared->both);
	if (!i) {
		puts("ready");
		fflush(stdout);
	}
}

static void sockets(int i) {
	char c;
	close(end[!i]);
	both(i);
	read(end[i], &c, 1);
}

// They take turns, so that one of them always has something to do.
static void turns(int i) {
	char c = 0;
	close(end[!i]);
	both(i);
	if (i)
		write(end[i], &c, 1);
	while (read(end[i], &c, 1) == 1 && write(end[i], &c, 1) == 1)
		;
}

static void files(int i) {
	flock(openLock(i), LOCK_EX);
	both(i);
	flock(openLock(!i), LOCK_EX);
}

static void mutexes(int i) {
	pthread_mutex_lock(&shared->mutex[i]);
	both(i);
	pthread_mutex_lock(&shared->mutex[!i]);
}

static void *holds(void *arg) {
	prctl(PR_SET_NAME, "holder");
	pthread_mutex_lock(&own);
	mutexes((long)arg);
	return 0;
}

// Its first thread waits for one of its own that is in the circle.
static void inside(int i) {
	pthread_t t;
	pthread_create(&t, 0, holds, (void *)(long)i);
	if (!i) {
		while (pthread_mutex_trylock(&own) == 0)
			pthread_mutex_unlock(&own);
		pthread_mutex_lock(&own);
	}
	pthread_join(t, 0);
}

static const struct {
	const char *name;
	void (*run)(int);
} ways[] = { { "sockets", sockets }, { "turns", turns }, { "files", files }, { "mutexes", mutexes }, { "inside", inside } };

int main(int argc, char **argv) {
	file = argv[2];
	shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t m;
	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex[0], &m);
	pthread_mutex_init(&shared->mutex[1], &m);
	pthread_barrierattr_t b;
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->both, &b, 2);
	socketpair(AF_UNIX, SOCK_STREAM, 0, end);
	int child = fork() == 0;
	if (child) {
		prctl(PR_SET_NAME, "child");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	for (int i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			ways[i].run(child);
	pause();
	return 0;
}
