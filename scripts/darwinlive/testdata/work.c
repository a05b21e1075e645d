// work FILE: four threads that count what they do in FILE, eight bytes each: two
// compute, in seventy, twenty and ten with these shares of their time, one hands a
// byte through a pipe to the next, and that one takes it.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SPLIT, SPUN, SENT, RECEIVED, SLOTS };

static volatile unsigned long *count;
static int ends[2];
static volatile unsigned long sink;

#define FUNCTION(name) \
	__attribute__((noinline)) static void name(unsigned long n) { \
		for (unsigned long i = 0; i < n; i++) \
			sink += i; \
		__asm__ volatile("" ::: "memory"); \
	}
FUNCTION(seventy)
FUNCTION(twenty)
FUNCTION(ten)
FUNCTION(calibrate)

static unsigned long cpu(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000UL + t.tv_nsec;
}

static void *spin(void *none) {
	for (;;) {
		calibrate(100000);
		count[SPUN]++;
		usleep(1000);
	}
	return none;
}

static void *send(void *none) {
	for (;;) {
		if (write(ends[1], "x", 1) == 1)
			count[SENT]++;
		usleep(1000);
	}
	return none;
}

static void *receive(void *none) {
	char c;
	for (;;)
		if (read(ends[0], &c, 1) == 1)
			count[RECEIVED]++;
	return none;
}

int main(int argc, char **argv) {
	int fd = open(argc > 1 ? argv[1] : "counts", O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, SLOTS * sizeof *count) != 0 || pipe(ends) != 0)
		return 1;
	count = mmap(NULL, SLOTS * sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED)
		return 1;
	pthread_t t;
	pthread_create(&t, NULL, spin, NULL);
	pthread_create(&t, NULL, send, NULL);
	pthread_create(&t, NULL, receive, NULL);
	unsigned long least = ~0UL; // of several, as a thread may lose its processor
	for (int i = 0; i < 20; i++) {
		unsigned long begin = cpu();
		calibrate(1000000);
		unsigned long took = cpu() - begin;
		if (took < least)
			least = took;
	}
	unsigned long ms = 1000000 * 1000000.0 / least; // turns in a millisecond
	printf("%d ready\n", getpid());
	fflush(stdout);
	for (;;) {
		seventy(7 * ms / 10);
		twenty(2 * ms / 10);
		ten(ms / 10);
		count[SPLIT]++;
	}
}
