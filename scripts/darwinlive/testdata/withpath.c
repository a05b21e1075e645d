// withpath PATH PROGRAM ARG…: runs a program that looks for others in PATH.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc < 3 || setenv("PATH", argv[1], 1) != 0)
		return 126;
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
