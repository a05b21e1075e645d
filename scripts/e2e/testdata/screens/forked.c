// A child is forked while another thread holds the log's lock, which nobody frees in it.
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void log_line(const char *text) {
	pthread_mutex_lock(&log_lock);
	fputs(text, stderr);
	pthread_mutex_unlock(&log_lock);
}

static void *rotate(void *ready) {
	pthread_mutex_lock(&log_lock);
	*(volatile int *)ready = 1;
	for (;;)
		pause();
}

int main(void) {
	static volatile int ready;
	pthread_t t;
	pthread_create(&t, 0, rotate, (void *)&ready);
	while (!ready) {
	}
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		log_line("child\n");
		_exit(0);
	}
	printf("%d\n", child);
	fflush(stdout);
	waitpid(child, 0, 0);
}
