// threads COUNT: that many threads, the main one among them, each fifty calls
// deep, of which one in eight computes and the others sleep, a little at a time.
#include "calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLEEP, COMPUTE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int missing;

// arrive says that all are there, by the last one, so that no thread comes or goes
// from then on.
static void arrive(void) {
	pthread_mutex_lock(&lock);
	int last = --missing == 0;
	pthread_mutex_unlock(&lock);
	if (last) {
		printf("%d ready\n", getpid());
		fflush(stdout);
	}
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

int main(int argc, char **argv) {
	int count = argc > 1 ? atoi(argv[1]) : 1;
	missing = count;
	pthread_t t;
	for (int i = 1; i < count; i++)
		pthread_create(&t, NULL, onThread, (void *)(long)(i % 8 == 1 ? COMPUTE : SLEEP));
	call00(SLEEP);
	sink++;
	return 0;
}
