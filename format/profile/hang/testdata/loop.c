// A program with a run loop that is stuck now and then. Each argument is one
// turn of the loop, "WHAT:MS":
//
//	idle     wait in epoll_wait
//	spin     compute
//	sleep    wait in nanosleep
//	mutex    wait for a mutex that another thread holds for so long
//	rwlock   the same, of a read-write lock
//	ring2    with another thread, hold a mutex each and wait for the other's,
//	ring3    with two; the main thread gives up after the time
//	joined   join one of two threads that hold a mutex each and wait for the other's, for ever
//	pipe     read from a pipe to which a child process writes after the time
//	shared   wait for a mutex that a child process holds for so long
//	turns    compute and sleep, a fifth of a millisecond each
//	work     for the time: handle an event of up to 30 ms after each wait of up
//	         to 20 ms, as a healthy program does; an event that took longer than
//	         200 ms from when the wait was over, on a busy machine, is told as a
//	         turn named "late"
//
// It prints "turn WHAT START END" after each, in nanoseconds of CLOCK_REALTIME,
// and "done" at the end.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct timespec spec(int64_t ns) {
	return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static void nap(int64_t ns) {
	struct timespec t = spec(ns);
	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

static volatile uint64_t sink;

__attribute__((noinline)) static void spin(int64_t ns) {
	for (int64_t end = now(CLOCK_MONOTONIC) + ns; now(CLOCK_MONOTONIC) < end;)
		sink++;
}

static int loop;

// idle waits in the run loop. A snapshot may end the wait early.
__attribute__((noinline)) static void idle(int64_t ns) {
	struct epoll_event e;
	for (int64_t end = now(CLOCK_MONOTONIC) + ns, left = ns; left > 0; left = end - now(CLOCK_MONOTONIC))
		epoll_wait(loop, &e, 1, (int)(left / 1000000) + 1);
}

static pthread_mutex_t mutexes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static int64_t hold;
static int members;

static void *holdMutex(void *unused) {
	pthread_setname_np(pthread_self(), "holder");
	pthread_mutex_lock(&mutexes[0]);
	pthread_barrier_wait(&barrier);
	nap(hold);
	pthread_mutex_unlock(&mutexes[0]);
	return unused;
}

static void *holdRW(void *unused) {
	pthread_setname_np(pthread_self(), "writer");
	pthread_rwlock_wrlock(&rwlock);
	pthread_barrier_wait(&barrier);
	nap(hold);
	pthread_rwlock_unlock(&rwlock);
	return unused;
}

static pthread_t helper(void *(*f)(void *), void *arg) {
	pthread_t t;
	if (pthread_create(&t, 0, f, arg) != 0)
		abort();
	return t;
}

__attribute__((noinline)) static void waitMutex(void) {
	pthread_barrier_init(&barrier, 0, 2);
	pthread_t t = helper(holdMutex, 0);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutexes[0]);
	pthread_mutex_unlock(&mutexes[0]);
	pthread_join(t, 0);
}

__attribute__((noinline)) static void waitRW(void) {
	pthread_barrier_init(&barrier, 0, 2);
	pthread_t t = helper(holdRW, 0);
	pthread_barrier_wait(&barrier);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_join(t, 0);
}

// A child process has something for so long.
__attribute__((noinline)) static void waitPipe(void) {
	int p[2];
	char c;
	if (pipe(p) != 0)
		abort();
	if (fork() == 0) {
		prctl(PR_SET_NAME, "giver");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(p[0]);
		nap(hold);
		_exit(write(p[1], "", 1) != 1);
	}
	close(p[1]);
	while (read(p[0], &c, 1) < 0 && errno == EINTR)
		;
	close(p[0]);
	wait(0);
}

__attribute__((noinline)) static void waitShared(void) {
	struct both {
		pthread_mutex_t mutex;
		pthread_barrier_t barrier;
	} *both = mmap(0, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t m;
	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&both->mutex, &m);
	pthread_barrierattr_t b;
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&both->barrier, &b, 2);
	if (fork() == 0) {
		prctl(PR_SET_NAME, "giver");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_mutex_lock(&both->mutex);
		pthread_barrier_wait(&both->barrier);
		nap(hold);
		pthread_mutex_unlock(&both->mutex);
		_exit(0);
	}
	pthread_barrier_wait(&both->barrier);
	pthread_mutex_lock(&both->mutex);
	pthread_mutex_unlock(&both->mutex);
	wait(0);
}

static void *member(void *arg) {
	long i = (long)arg;
	char name[16];
	snprintf(name, sizeof name, "member %ld", i);
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&mutexes[i]);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutexes[(i + 1) % members]);
	pthread_mutex_unlock(&mutexes[(i + 1) % members]);
	pthread_mutex_unlock(&mutexes[i]);
	return 0;
}

__attribute__((noinline)) static void ring(int n, int64_t ns) {
	pthread_t t[3];
	members = n;
	pthread_barrier_init(&barrier, 0, n);
	pthread_mutex_lock(&mutexes[0]);
	for (long i = 1; i < n; i++)
		t[i] = helper(member, (void *)i);
	pthread_barrier_wait(&barrier);
	struct timespec end = spec(now(CLOCK_REALTIME) + ns);
	pthread_mutex_timedlock(&mutexes[1], &end);
	pthread_mutex_unlock(&mutexes[0]);
	for (int i = 1; i < n; i++)
		pthread_join(t[i], 0);
}

static void joined(void) {
	members = 2;
	pthread_barrier_init(&barrier, 0, members);
	pthread_t t = helper(member, (void *)0);
	helper(member, (void *)1);
	pthread_join(t, 0);
}

static void work(int64_t ns) {
	for (int64_t end = now(CLOCK_MONOTONIC) + ns; now(CLOCK_MONOTONIC) < end;) {
		int64_t wait = 1000000 + rand() % 20000000, due = now(CLOCK_REALTIME) + wait;
		idle(wait);
		int64_t start = now(CLOCK_REALTIME);
		if (start > due)
			start = due;
		if (rand() % 3 == 0)
			nap(rand() % 30000000);
		else
			spin(rand() % 30000000);
		int64_t done = now(CLOCK_REALTIME);
		if (done - start > 200000000)
			printf("turn late %lld %lld\n", (long long)start, (long long)done);
	}
}

static void turn(const char *what, int64_t ns) {
	hold = ns;
	if (strcmp(what, "idle") == 0)
		idle(ns);
	else if (strcmp(what, "spin") == 0)
		spin(ns);
	else if (strcmp(what, "sleep") == 0)
		nap(ns);
	else if (strcmp(what, "mutex") == 0)
		waitMutex();
	else if (strcmp(what, "rwlock") == 0)
		waitRW();
	else if (strcmp(what, "pipe") == 0)
		waitPipe();
	else if (strcmp(what, "shared") == 0)
		waitShared();
	else if (strcmp(what, "ring2") == 0)
		ring(2, ns);
	else if (strcmp(what, "ring3") == 0)
		ring(3, ns);
	else if (strcmp(what, "joined") == 0)
		joined();
	else if (strcmp(what, "work") == 0)
		work(ns);
	else if (strcmp(what, "turns") == 0)
		for (int64_t end = now(CLOCK_MONOTONIC) + ns; now(CLOCK_MONOTONIC) < end;) {
			spin(200000);
			nap(200000);
		}
	else
		abort();
}

int main(int argc, char **argv) {
	loop = epoll_create1(0);
	for (int i = 1; i < argc; i++) {
		char what[16];
		int ms;
		if (sscanf(argv[i], "%15[^:]:%d", what, &ms) != 2)
			return 2;
		int64_t start = now(CLOCK_REALTIME);
		turn(what, ms * 1000000LL);
		printf("turn %s %lld %lld\n", what, (long long)start, (long long)now(CLOCK_REALTIME));
		fflush(stdout);
	}
	printf("done\n");
	fflush(stdout);
	pause();
}
