// threads SLEEPERS BUSY DEPTH starts so many threads, each so many calls deep,
// says "ready", and goes on until its input ends.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int depth;
static volatile unsigned sink;
static pthread_barrier_t ready;

static void __attribute__((noinline)) sleeper(void) {
	pthread_barrier_wait(&ready);
	for (;;)
		pause();
}

static unsigned __attribute__((noinline)) mix(unsigned x) {
	for (int i = 0; i < 200; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

static unsigned __attribute__((noinline)) swirl(unsigned x, int n) {
	volatile unsigned kept = x;
	if (n == 0)
		return mix(kept);
	return swirl(kept * 7, n - 1) + kept;
}

static void __attribute__((noinline)) busy(void) {
	pthread_barrier_wait(&ready);
	for (unsigned x = 0;; x++)
		sink += swirl(x, x % 9);
}

static int __attribute__((noinline)) descend(int n, void (*end)(void)) {
	volatile long frame[8] = {n, (long)&frame, (long)end, n * 3, 0, -1, (long)descend, 7};
	if (n == 0)
		end();
	else
		descend(n - 1, end);
	return frame[n & 7];
}

static void *run(void *end) {
	descend(depth, (void (*)(void))end);
	return NULL;
}

int main(int argc, char **argv) {
	int sleepers = atoi(argv[1]), spinners = atoi(argv[2]);
	pthread_t t;
	depth = atoi(argv[3]);
	pthread_barrier_init(&ready, NULL, sleepers + spinners + 1);
	for (int i = 0; i < sleepers; i++)
		pthread_create(&t, NULL, run, sleeper);
	for (int i = 0; i < spinners; i++)
		pthread_create(&t, NULL, run, busy);
	pthread_barrier_wait(&ready);
	puts("ready");
	fflush(stdout);
	return getchar() < 0 ? 0 : 1;
}
