// A thread that holds a mutex and waits for the end of another, which waits for
// that mutex. The main thread waits for the end of the first.
#include "deadlock.h"

#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t worker;
static _Atomic uint64_t joining, working;
static atomic_int go;

static void *work(void *none) {
	pthread_setname_np("worker");
	working = own_id();
	pthread_mutex_lock(&mutex);
	return none;
}

static void *join(void *none) {
	pthread_setname_np("joiner");
	pthread_mutex_lock(&mutex);
	pthread_create(&worker, NULL, work, NULL);
	joining = own_id();
	while (!go)
		usleep(1000);
	pthread_join(worker, NULL);
	return none;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, join, NULL);
	while (!joining || !working)
		usleep(1000);
	waits(own_id(), "thread", NULL, "", joining);
	waits(joining, "thread", NULL, "", working);
	waits(working, "mutex", &mutex, "mutex", joining);
	circle(joining, working);
	ready();
	go = 1;
	pthread_join(t, NULL);
	return 0;
}
