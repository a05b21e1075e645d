// Reads a file, which may not answer.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char text[4096];

__attribute__((noinline)) static long reads_file(int fd) {
	long n = read(fd, text, sizeof text);
	return n + 1;
}

int main(int argc, char **argv) {
	int fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	return (int)reads_file(fd);
}
