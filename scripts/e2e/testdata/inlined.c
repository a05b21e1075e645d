// Calls that are inlined into each other, above one that waits.
#include <stdio.h>
#include <unistd.h>

static char byte;

static inline int leaf(int fd)
{
	int n = (int)read(fd, &byte, 1);
	return n + byte;
}

static inline int branch(int fd)
{
	return leaf(fd) * 3;
}

static __attribute__((noinline)) int trunk(int fd)
{
	return branch(fd) + 1;
}

int main(void)
{
	puts("ready");
	fflush(stdout);
	return trunk(0) == 12345;
}
