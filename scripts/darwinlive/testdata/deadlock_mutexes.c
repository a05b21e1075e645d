// Two threads, each of which holds one of two mutexes and waits for the other.
#include "deadlock.h"

#include <stdatomic.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static atomic_int holding;
static _Atomic uint64_t id;

__attribute__((noinline)) static void takeBoth(pthread_mutex_t *first, pthread_mutex_t *second) {
	pthread_mutex_lock(first);
	holding++;
	while (holding < 2)
		usleep(1000);
	pthread_mutex_lock(second);
}

static void *other(void *none) {
	pthread_setname_np("other");
	id = own_id();
	takeBoth(&two, &one);
	return none;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	while (holding < 1)
		usleep(1000);
	waits(own_id(), "mutex", &two, "two", id);
	waits(id, "mutex", &one, "one", own_id());
	circle(own_id(), id);
	ready();
	takeBoth(&one, &two);
	return 0;
}
