// Five threads that are blocked, each some calls deep and each in another way.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int ends[2];
static _Atomic int tids[4];
static volatile int sink;

__attribute__((noinline)) static void wait_here(int how) {
	char c;
	atomic_store(&tids[how], (int)syscall(SYS_gettid)); // what it sleeps in from now on is the end
	switch (how) {
	case 0: pthread_mutex_lock(&held); break;
	case 1: sem_wait(&never); break;
	case 2: sink = read(ends[0], &c, 1); break;
	default: pause();
	}
	sink++;
}

__attribute__((noinline)) static int deep(int n, int how) {
	if (n == 0) {
		wait_here(how);
		return 1;
	}
	int r = deep(n - 1, how);
	sink += r;
	return r + n;
}

static void *blocked(void *how) {
	deep(20, (int)(long)how);
	return 0;
}

// asleep tells what the kernel says of a thread.
static int asleep(int tid) {
	char path[64], state = 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	FILE *f = fopen(path, "r");
	if (f) {
		sink = fscanf(f, "%*d (%*[^)]) %c", &state);
		fclose(f);
	}
	return state == 'S';
}

int main(void) {
	pthread_t t[4];
	sink = pipe(ends);
	pthread_mutex_lock(&held);
	sem_init(&never, 0, 0);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], 0, blocked, (void *)i);
	for (int i = 0; i < 4; i++)
		while (!atomic_load(&tids[i]) || !asleep(atomic_load(&tids[i])))
			sched_yield();
	puts("ready");
	fflush(stdout);
	pthread_join(t[0], 0);
	return 0;
}
