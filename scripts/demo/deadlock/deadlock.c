// A program with something to look at: a thread that burns CPU, one that waits
// for input which never comes, and two that wait for each other's mutex. It prints
// "ready" and runs until its standard input closes.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static atomic_int holding; // of the two that will deadlock
static atomic_uint_fast64_t sink;

__attribute__((noinline)) static uint64_t collatz(uint64_t n) {
	uint64_t steps = 0;
	for (; n != 1; steps++)
		n = n % 2 == 0 ? n / 2 : 3 * n + 1;
	return steps;
}

static void *busy(void *unused) {
	(void)unused;
	for (uint64_t i = 1;; i++)
		sink = collatz(i);
}

// blocked reads from a pipe into which nobody writes.
static void *blocked(void *unused) {
	(void)unused;
	int fd[2];
	char c;
	if (pipe(fd) != 0 || read(fd[0], &c, 1) < 0)
		perror("deadlock");
	return NULL;
}

// lock_both takes the second mutex when both threads have their first.
__attribute__((noinline)) static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
	pthread_mutex_lock(first);
	holding++;
	while (holding < 2)
		usleep(1000);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *transfer(void *unused) {
	(void)unused;
	lock_both(&accounts, &journal);
	return NULL;
}

static void *audit(void *unused) {
	(void)unused;
	lock_both(&journal, &accounts);
	return NULL;
}

int main(void) {
	void *(*all[])(void *) = {busy, blocked, transfer, audit};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, all[i], NULL) != 0)
			return EXIT_FAILURE;
	}
	while (holding < 2)
		usleep(1000);
	usleep(100 * 1000); // until the two wait
	puts("ready");
	fflush(stdout);
	char c;
	while (read(STDIN_FILENO, &c, 1) > 0) {
	}
	return EXIT_SUCCESS;
}
