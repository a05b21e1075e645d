// threads COUNT: that many threads, the main one among them, each fifty calls
// deep, of which one in eight computes and the others sleep, a little at a time.
#include "calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLEEP, COMPUTE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int missing;

static void arrive(void) {
	pthread_mutex_lock(&lock);
	if (--missing == 0)
		pthread_cond_broadcast(&all);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void end(int how) {
	arrive();
	for (;;) {
		if (how == SLEEP)
			usleep(50000);
		sink++;
	}
}

__attribute__((noinline)) void *onThread(void *how) {
	call00((int)(long)how);
	sink++;
	return NULL;
}

static void *announce(void *none) {
	pthread_mutex_lock(&lock);
	while (missing > 0)
		pthread_cond_wait(&all, &lock);
	pthread_mutex_unlock(&lock);
	printf("%d ready\n", getpid());
	fflush(stdout);
	return none;
}

int main(int argc, char **argv) {
	int count = argc > 1 ? atoi(argv[1]) : 1;
	missing = count;
	pthread_t t;
	pthread_create(&t, NULL, announce, NULL);
	pthread_detach(t);
	for (int i = 1; i < count; i++)
		pthread_create(&t, NULL, onThread, (void *)(long)(i % 8 == 1 ? COMPUTE : SLEEP));
	call00(SLEEP);
	sink++;
	return 0;
}
