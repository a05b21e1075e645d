// The program of the pictures in README.md: two workers that answer requests, one
// thread that waits for input, and two that wait for each other's mutex. It prints
// "ready" and runs until its standard input closes. For Linux: its threads have names.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static atomic_int holding; // of the two that will deadlock
static volatile uint64_t sink;

#define CALLED __attribute__((noinline)) static void

CALLED spin(unsigned microseconds) {
	struct timespec now, end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	uint64_t until = end.tv_sec * 1000000000ull + end.tv_nsec + microseconds * 1000ull;
	do {
		for (int i = 0; i < 2000; i++)
			sink = sink * 31 + i;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec * 1000000000ull + now.tv_nsec < until);
	sink++;
}

CALLED parse_header(void) { spin(900); sink++; }
CALLED parse_body(void) { spin(500); sink++; }
CALLED parse_request(void) { parse_header(); parse_body(); spin(200); sink++; }
CALLED compress_page(void) { spin(1500); sink++; }
CALLED checksum(void) { spin(400); sink++; }
CALLED render_page(void) { compress_page(); checksum(); spin(300); sink++; }
CALLED wait_for_request(void) { usleep(2500); sink++; }

static void *worker(void *name) {
	pthread_setname_np(pthread_self(), name);
	for (;;) {
		wait_for_request();
		parse_request();
		render_page();
	}
}

static void *control(void *name) {
	pthread_setname_np(pthread_self(), name);
	int fd[2];
	char c;
	if (pipe(fd) != 0 || read(fd[0], &c, 1) < 0)
		perror("shop");
	return NULL;
}

// lock_both takes the second mutex when both threads have their first.
CALLED lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
	pthread_mutex_lock(first);
	holding++;
	while (holding < 2)
		usleep(1000);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *transfer(void *name) {
	pthread_setname_np(pthread_self(), name);
	lock_both(&accounts, &journal);
	return NULL;
}

static void *audit(void *name) {
	pthread_setname_np(pthread_self(), name);
	lock_both(&journal, &accounts);
	return NULL;
}

int main(void) {
	struct { void *(*run)(void *); char *name; } all[] = {
		{worker, "worker-1"}, {worker, "worker-2"}, {control, "control"}, {transfer, "transfer"}, {audit, "audit"},
	};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, all[i].run, all[i].name) != 0)
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
