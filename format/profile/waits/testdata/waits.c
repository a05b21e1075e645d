// Threads that wait, each for another kind of thing, and a ring of threads that
// wait for each other. Prints "ready" when all are about to wait.
//
//	waits MEMBERS KIND     KIND of mutex: plain, robust, inherit, recursive
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t ring[8], condMutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read_ = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static pthread_barrier_t barrier;
static int members, count;

static void *member(void *p) {
	long i = (long)p;
	pthread_mutex_lock(&ring[i]);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&ring[(i + 1) % members]);
	return 0;
}

static void *reader(void *p) { pthread_rwlock_rdlock(&written); return p; }
static void *writer(void *p) { pthread_rwlock_wrlock(&written); return p; }
static void *behindReader(void *p) { pthread_rwlock_wrlock(&read_); return p; }
static void *semWaiter(void *p) { sem_wait(&sem); return p; }
static void *condWaiter(void *p) {
	pthread_mutex_lock(&condMutex);
	for (;;)
		pthread_cond_wait(&cond, &condMutex);
	return p;
}
static void *pipeReader(void *p) {
	int fd[2];
	char c;
	return pipe(fd) == 0 && read(fd[0], &c, 1) > 0 ? p : 0;
}
static void *socketReader(void *p) {
	int fd[2];
	char c;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0 && recv(fd[0], &c, 1, 0) > 0 ? p : 0;
}
static void *fileLocker(void *p) {
	char path[] = "/tmp/stacksnap-waits-XXXXXX";
	int fd = mkstemp(path), again = open(path, O_RDWR);
	unlink(path);
	flock(fd, LOCK_EX);
	flock(again, LOCK_EX);
	return p;
}

static int pipeSet(void) {
	int fd[2], set = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN};
	if (pipe(fd) != 0 || epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) != 0)
		abort();
	return set;
}
static void *poller(void *p) {
	struct epoll_event e;
	int set = pipeSet();
	for (;;)
		epoll_wait(set, &e, 1, -1);
	return p;
}
/* Its frame, of no size known in advance, is found by the frame pointer alone. */
static __attribute__((noinline)) int wait_some(int set, int n) {
	struct epoll_event e[n];
	return epoll_wait(set, e, n, -1) + (int)e[0].data.u32;
}
static void *framePoller(void *p) {
	int set = pipeSet();
	for (;;)
		wait_some(set, members);
	return p;
}

static void spawn(const char *name, void *(*f)(void *), void *arg) {
	pthread_t t;
	if (pthread_create(&t, 0, f, arg) != 0)
		abort();
	pthread_setname_np(t, name);
	count++;
}

int main(int argc, char **argv) {
	members = argc > 1 ? atoi(argv[1]) : 2;
	const char *kind = argc > 2 ? argv[2] : "plain";
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	if (strcmp(kind, "robust") == 0)
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (strcmp(kind, "inherit") == 0)
		pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	if (strcmp(kind, "recursive") == 0)
		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	for (int i = 0; i < members; i++)
		pthread_mutex_init(&ring[i], &a);
	pthread_barrier_init(&barrier, 0, members + 1);
	pthread_rwlock_wrlock(&written);
	pthread_rwlock_rdlock(&read_);
	for (long i = 0; i < members; i++)
		spawn("member", member, (void *)i);
	spawn("reader", reader, 0);
	spawn("writer", writer, 0);
	spawn("behind reader", behindReader, 0);
	spawn("sem", semWaiter, 0);
	spawn("cond", condWaiter, 0);
	spawn("pipe", pipeReader, 0);
	spawn("socket", socketReader, 0);
	spawn("flock", fileLocker, 0);
	spawn("epoll", poller, 0);
	spawn("epoll, fp", framePoller, 0);
	pthread_barrier_wait(&barrier);
	printf("ready\n");
	fflush(stdout);
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&own);
	pthread_mutex_lock(&own);
}
