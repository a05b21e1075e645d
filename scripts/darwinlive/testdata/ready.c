// ready PROGRAM ARG…: says its pid, and becomes a program that does not say it.
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc < 2)
		return 126;
	printf("%d ready\n", getpid());
	fflush(stdout);
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
