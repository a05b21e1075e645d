// The signal is sent before anybody waits, and the job is not counted: a lost wake-up.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_ready = PTHREAD_COND_INITIALIZER;
static volatile int jobs;

__attribute__((noinline)) static void wait_for_job(void) {
	pthread_mutex_lock(&lock);
	while (jobs == 0) pthread_cond_wait(&job_ready, &lock);
	pthread_mutex_unlock(&lock);
}

static void *submit(void *unused) {
	pthread_cond_signal(&job_ready);
	return unused;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, submit, 0);
	pthread_join(t, 0);
	wait_for_job();
	return 0;
}
