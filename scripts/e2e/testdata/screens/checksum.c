// A computation that takes all the time that it is given.
__attribute__((noinline)) static unsigned checksum(unsigned sum) {
	for (;;) {
		sum = sum * 31 + 7;
		__asm__ volatile("" : "+r"(sum));
	}
}

int main(int count, char **args) {
	(void)args;
	return (int)checksum((unsigned)count);
}
