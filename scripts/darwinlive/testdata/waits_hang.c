// The main thread waits in poll in a loop, and is stuck for 600 ms every
// 1.5 s: in turns for a queue, for the reply to a message, and for a mutex, or for
// those of them that are given. It prints its pid first, and then "hang NAME" as each begins.
#include <dispatch/dispatch.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STUCK 600000000ull // nanoseconds
#define IDLE 900           // milliseconds

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static dispatch_queue_t queue;
static atomic_int busy;

static mach_port_t new_port(void) {
	mach_port_t p;
	mach_port_allocate(mach_task_self(), MACH_PORT_RIGHT_RECEIVE, &p);
	mach_port_insert_right(mach_task_self(), p, p, MACH_MSG_TYPE_MAKE_SEND);
	return p;
}
// A stop by a signal may end a sleep early.
static void pass(uint64_t nanoseconds) {
	uint64_t end = mach_absolute_time() + nanoseconds;
	while (mach_absolute_time() < end) usleep(5000);
}
static void *hold(void *unused) {
	pthread_mutex_lock(&mutex);
	busy = 1;
	pass(STUCK);
	pthread_mutex_unlock(&mutex);
	return NULL;
}
static void stuck_in_mutex(void) {
	pthread_t t;
	busy = 0;
	pthread_create(&t, NULL, hold, NULL);
	pthread_detach(t);
	while (!busy) usleep(100);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}
static void stuck_in_queue(void) {
	busy = 0;
	dispatch_async(queue, ^{
		busy = 1;
		pass(STUCK);
	});
	while (!busy) usleep(100);
	dispatch_sync(queue, ^{});
}
static void *answer(void *p) {
	struct { mach_msg_header_t h; char b[100]; } m = {0};
	mach_msg(&m.h, MACH_RCV_MSG, 0, sizeof m, (mach_port_t)(uintptr_t)p, 0, 0);
	pass(STUCK);
	m.h.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_MOVE_SEND_ONCE, 0);
	m.h.msgh_local_port = 0;
	m.h.msgh_size = sizeof m.h;
	mach_msg(&m.h, MACH_SEND_MSG, sizeof m.h, 0, 0, 0, 0);
	return NULL;
}
static void stuck_in_reply(void) {
	static mach_port_t server, mine;
	struct { mach_msg_header_t h; char b[100]; } m = {0};
	if (!server) {
		server = new_port();
		mine = new_port();
	}
	pthread_t t;
	pthread_create(&t, NULL, answer, (void *)(uintptr_t)server);
	pthread_detach(t);
	m.h.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_COPY_SEND, MACH_MSG_TYPE_MAKE_SEND_ONCE);
	m.h.msgh_remote_port = server;
	m.h.msgh_local_port = mine;
	m.h.msgh_id = 3418;
	mach_msg(&m.h, MACH_SEND_MSG | MACH_RCV_MSG, sizeof m.h, sizeof m, mine, 0, 0);
}
static void idle(void) {
	uint64_t end = mach_absolute_time() + IDLE * 1000000ull;
	while (mach_absolute_time() < end) poll(NULL, 0, IDLE / 3);
}

int main(int argc, char **argv) {
	struct { const char *name; void (*run)(void); } ways[] = {
		{"queue", stuck_in_queue}, {"reply", stuck_in_reply}, {"mutex", stuck_in_mutex}};
	printf("%d\n", getpid());
	fflush(stdout);
	queue = dispatch_queue_create("com.example.slow", DISPATCH_QUEUE_SERIAL);
	for (int i = 0; i < 1000; i++) {
		int wanted = argc == 1;
		for (int k = 1; k < argc; k++) wanted |= strcmp(argv[k], ways[i % 3].name) == 0;
		if (!wanted) continue;
		idle();
		printf("hang %s\n", ways[i % 3].name);
		fflush(stdout);
		ways[i % 3].run();
	}
	return 0;
}
