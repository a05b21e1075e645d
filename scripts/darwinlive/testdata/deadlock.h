// What the targets that never get on say of themselves, for the test to compare
// with: each thread that waits, for what, and for whom; and the circles.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static inline uint64_t own_id(void) {
	uint64_t id = 0;
	pthread_threadid_np(NULL, &id);
	return id;
}

// waits says that a thread waits for a lock at an address, NULL where it is none;
// name is how a queue or the variable of a mutex is called, and otherwise empty.
static inline void waits(uint64_t id, const char *lock, const void *at, const char *name, uint64_t owner) {
	printf("waits %llu [%s] %p [%s] %llu\n", id, lock, at, name, owner);
}

static inline void circle(uint64_t one, uint64_t other) { printf("circle %llu %llu\n", one, other); }

static inline void ready(void) {
	printf("%d ready\n", getpid());
	fflush(stdout);
}
