// Each thread waits in a way of its own, for ever, under its own name.
#include <dispatch/dispatch.h>
#include <fcntl.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <netinet/in.h>
#include <os/lock.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/event.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static os_unfair_lock unfair = OS_UNFAIR_LOCK_INIT;
static dispatch_once_t once;
static pthread_t holder;
static atomic_int ready;
static int pipes[2];

static void forever(void) {
	for (;;) pause();
}
static void begin_once(void *unused) {
	ready++;
	forever();
}
static void *hold(void *unused) {
	pthread_setname_np("holder");
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	os_unfair_lock_lock(&unfair);
	dispatch_once_f(&once, NULL, begin_once);
	return NULL;
}
static void wait_mutex(void) { pthread_mutex_lock(&mutex); }
static void wait_cond(void) { pthread_mutex_lock(&other); for (;;) pthread_cond_wait(&cond, &other); }
static void wait_read(void) { pthread_rwlock_rdlock(&rwlock); }
static void wait_write(void) { pthread_rwlock_wrlock(&rwlock); }
static void wait_unfair(void) { os_unfair_lock_lock(&unfair); }
static void wait_once(void) { dispatch_once_f(&once, NULL, begin_once); }
static void wait_join(void) { pthread_join(holder, NULL); }
static void wait_group(void) {
	dispatch_group_t g = dispatch_group_create();
	dispatch_group_enter(g);
	dispatch_group_wait(g, DISPATCH_TIME_FOREVER);
}
static void wait_semaphore(void) { dispatch_semaphore_wait(dispatch_semaphore_create(0), DISPATCH_TIME_FOREVER); }
static void wait_mach_semaphore(void) {
	semaphore_t s;
	semaphore_create(mach_task_self(), &s, SYNC_POLICY_FIFO, 0);
	for (;;) semaphore_wait(s);
}
static void wait_file(void) { char b; for (;;) read(pipes[0], &b, 1); }
static void wait_full(void) {
	static char b[1 << 20];
	int s[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	for (;;) write(s[0], b, sizeof b);
}
static void wait_accept(void) {
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	bind(s, (struct sockaddr *)&a, sizeof a);
	listen(s, 1);
	for (;;) accept(s, NULL, NULL);
}
static void wait_poll(void) { struct pollfd p = {pipes[0], POLLIN, 0}; for (;;) poll(&p, 1, -1); }
static void wait_select(void) {
	fd_set s;
	for (;;) {
		FD_ZERO(&s);
		FD_SET(pipes[0], &s);
		select(pipes[0] + 1, &s, NULL, NULL, NULL);
	}
}
static void wait_kevent(void) {
	struct kevent e;
	int q = kqueue();
	for (;;) kevent(q, NULL, 0, &e, 1, NULL);
}
static mach_port_t new_port(void) {
	mach_port_t p;
	mach_port_allocate(mach_task_self(), MACH_PORT_RIGHT_RECEIVE, &p);
	mach_port_insert_right(mach_task_self(), p, p, MACH_MSG_TYPE_MAKE_SEND);
	return p;
}
static void wait_message(void) {
	struct { mach_msg_header_t h; char b[100]; } m = {0};
	mach_port_t p = new_port();
	for (;;) mach_msg(&m.h, MACH_RCV_MSG, 0, sizeof m, p, 0, 0);
}
static void wait_reply(void) {
	struct { mach_msg_header_t h; char b[100]; } m = {0};
	m.h.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_COPY_SEND, MACH_MSG_TYPE_MAKE_SEND_ONCE);
	m.h.msgh_remote_port = new_port();
	m.h.msgh_local_port = new_port();
	m.h.msgh_id = 3418;
	mach_msg(&m.h, MACH_SEND_MSG | MACH_RCV_MSG, sizeof m.h, sizeof m, m.h.msgh_local_port, 0, 0);
	forever();
}
static void wait_room(void) {
	mach_msg_header_t h = {0};
	h.msgh_bits = MACH_MSGH_BITS(MACH_MSG_TYPE_COPY_SEND, 0);
	h.msgh_remote_port = new_port();
	h.msgh_size = sizeof h;
	h.msgh_id = 77;
	for (;;) mach_msg(&h, MACH_SEND_MSG, sizeof h, 0, 0, 0, 0);
}
static void wait_sleep(void) { for (;;) { struct timespec t = {3600, 0}; nanosleep(&t, NULL); } }
static void wait_until(void) { for (;;) mach_wait_until(mach_absolute_time() + 3600000000000ull); }
static void wait_child(void) {
	pid_t p = fork();
	if (p == 0) { for (;;) pause(); }
	int s;
	waitpid(p, &s, 0);
}
static void wait_named(void) {
	sem_unlink("/stacksnap-waits");
	sem_t *s = sem_open("/stacksnap-waits", O_CREAT, 0600, 0);
	if (s == SEM_FAILED) forever();
	for (;;) sem_wait(s);
}

struct way { const char *name; void (*wait)(void); };
static struct way ways[] = {
	{"mutex", wait_mutex}, {"cond", wait_cond}, {"read lock", wait_read}, {"write lock", wait_write},
	{"unfair", wait_unfair}, {"once", wait_once}, {"join", wait_join}, {"group", wait_group},
	{"dispatch semaphore", wait_semaphore}, {"mach semaphore", wait_mach_semaphore}, {"read", wait_file},
	{"write", wait_full}, {"accept", wait_accept}, {"poll", wait_poll}, {"select", wait_select}, {"kevent", wait_kevent},
	{"message", wait_message}, {"reply", wait_reply}, {"room", wait_room}, {"sleep", wait_sleep}, {"until", wait_until},
	{"named semaphore", wait_named},
};
static void *start(void *w) {
	pthread_setname_np(((struct way *)w)->name);
	((struct way *)w)->wait();
	forever();
	return NULL;
}
int main(int argc, char **argv) {
	printf("%d\n", getpid());
	fflush(stdout);
	pipe(pipes);
	pthread_create(&holder, NULL, hold, NULL);
	while (ready == 0) usleep(1000);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		pthread_t t;
		pthread_create(&t, NULL, start, &ways[i]);
	}
	if (argc > 1) wait_child();
	forever();
}
