// hangs LOOP COUNT LEAST MOST: the main thread waits in a loop of mach_msg, kevent or
// dispatch_sync, and COUNT times is busy or blocked in turns for LEAST to MOST
// milliseconds; it says when, and at the end is idle for ever.
#include <dispatch/dispatch.h>
#include <mach/mach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static mach_port_t port;
static int queue;
static dispatch_queue_t serial;

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// idle waits for a moment, as a run loop does.
__attribute__((noinline)) static void idle(int kevents, int ms) {
	if (kevents) {
		struct kevent e;
		struct timespec t = {0, ms * 1000000};
		kevent(queue, NULL, 0, &e, 1, &t);
	} else {
		struct {
			mach_msg_header_t header;
			char body[256];
		} m;
		mach_msg(&m.header, MACH_RCV_MSG | MACH_RCV_TIMEOUT, 0, sizeof m, port, ms, MACH_PORT_NULL);
	}
	sink++;
}

__attribute__((noinline)) static void busy(long ms) {
	for (long end = now() + ms; now() < end;)
		sink++;
}

__attribute__((noinline)) static void blocked(long ms) {
	for (long end = now() + ms; now() < end;)
		usleep((end - now()) * 1000);
}

static void slowly(void *ms) { blocked((long)ms); }
static void nothing(void *none) { (void)none; }

__attribute__((noinline)) static void inQueue(long ms) {
	dispatch_async_f(serial, (void *)ms, slowly);
	dispatch_sync_f(serial, NULL, nothing);
}

int main(int argc, char **argv) {
	if (argc != 5)
		return 1;
	int kevents = !strcmp(argv[1], "kevent"), sync = !strcmp(argv[1], "dispatch_sync");
	int count = atoi(argv[2]);
	long least = atol(argv[3]), most = atol(argv[4]);
	queue = kqueue();
	mach_port_allocate(mach_task_self(), MACH_PORT_RIGHT_RECEIVE, &port);
	serial = dispatch_queue_create("org.stacksnap.slow", NULL);
	printf("%d ready\n", getpid());
	fflush(stdout);
	for (long end = now() + 6000; now() < end;)
		idle(kevents, 20);
	for (int i = 0; i < count; i++) {
		long ms = least + (most - least) * i / (count > 1 ? count - 1 : 1);
		if (sync)
			inQueue(ms);
		else if (i % 2)
			blocked(ms);
		else
			busy(ms);
		printf("hang %ld\n", ms);
		fflush(stdout);
		for (long end = now() + 1500; now() < end;)
			idle(kevents, 20);
	}
	printf("over\n");
	fflush(stdout);
	for (;;)
		idle(kevents, 20);
}
