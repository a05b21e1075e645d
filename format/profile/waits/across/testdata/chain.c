// A row of processes, each of which waits for a lock of a file that the next has; the
// last has one that nobody waits for, and then waits for one more. The first prints
// "ready" when each has its own. Arguments: how many, and a file beside which others
// are locked.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static int openLock(const char *file, int i) {
	char path[4096];
	snprintf(path, sizeof path, "%s.%d", file, i);
	return open(path, O_RDWR | O_CREAT, 0600);
}

int main(int argc, char **argv) {
	int n = atoi(argv[1]), i = 0;
	pthread_barrier_t *all = mmap(0, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t b;
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(all, &b, n);
	for (int k = 1; k < n && i == 0; k++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			i = k;
		}
	flock(openLock(argv[2], i), LOCK_EX);
	pthread_barrier_wait(all);
	if (i == 0) {
		puts("ready");
		fflush(stdout);
	}
	flock(openLock(argv[2], i + 1), LOCK_EX);
	pause();
	return 0;
}
