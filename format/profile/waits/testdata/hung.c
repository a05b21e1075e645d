// Programs whose threads all wait, each in the way that its argument says.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER, shared;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, turn = PTHREAD_COND_INITIALIZER;
static int whose, ends[2];

static void lose(void) {
	pthread_mutex_lock(&one);
	for (;;) pthread_cond_wait(&never, &one);
}

static void *loses(void *a) {
	lose();
	return a;
}

static void *timed(void *a) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 3600;
	pthread_mutex_lock(&other);
	for (;;) pthread_cond_timedwait(&never, &other, &t);
	return a;
}

static void *reads(void *a) {
	char b;
	read(ends[0], &b, 1);
	return a;
}

static void *locks(void *a) {
	pthread_mutex_lock(a);
	return a;
}

static void *passes(void *a) {
	int me = a != 0;
	for (;;) {
		pthread_mutex_lock(&other);
		while (whose != me) pthread_cond_wait(&turn, &other);
		whose = !me;
		pthread_cond_broadcast(&turn);
		pthread_mutex_unlock(&other);
	}
}

static void wake(int n) { pthread_cond_signal(&never); }

int main(int argc, char **argv) {
	const char *how = argv[1];
	pthread_t t, u;
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared, &a);
	pthread_mutex_lock(&shared);
	pipe(ends);
	puts("ready");
	fflush(stdout);
	if (!strcmp(how, "handler")) signal(SIGALRM, wake);
	if (!strcmp(how, "fault")) signal(SIGSEGV, wake);
	if (!strcmp(how, "several")) {
		pthread_mutex_lock(&other);
		pthread_create(&t, 0, loses, 0);
		pthread_create(&u, 0, locks, &other);
		pthread_join(u, 0);
	}
	if (!strcmp(how, "timed")) pthread_create(&t, 0, timed, 0);
	if (!strcmp(how, "reads")) pthread_create(&t, 0, reads, 0);
	if (!strcmp(how, "shared")) pthread_create(&t, 0, locks, &shared);
	if (!strcmp(how, "passes")) {
		pthread_create(&t, 0, passes, &t);
		pthread_create(&u, 0, passes, 0);
	}
	lose();
}
