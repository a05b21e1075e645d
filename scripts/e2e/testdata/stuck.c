// Its main thread waits in the kernel where no signal wakes it: for a child of vfork.
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

__attribute__((noinline)) void waits_for_child(void) {
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	__asm__ volatile("");
}

int main(void) {
	puts("ready");
	fflush(stdout);
	waits_for_child();
	return 0;
}
