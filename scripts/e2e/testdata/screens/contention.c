// Eight threads that do all their work under one lock.
#include <pthread.h>

static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long totals[1024];

__attribute__((noinline)) static void add_totals(int step) {
	pthread_mutex_lock(&totals_lock);
	for (int i = 0; i < 1024; i++)
		totals[i] += step;
	pthread_mutex_unlock(&totals_lock);
}

static void *work(void *unused) {
	for (;;)
		add_totals(1);
	return unused;
}

int main(void) {
	pthread_t t[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], 0, work, 0);
	pthread_join(t[0], 0);
}
