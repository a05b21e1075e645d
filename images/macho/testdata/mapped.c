/* What is read through the debug map of mapped, from mapped.o. build.sh makes both. */
static inline __attribute__((always_inline)) int half(int n) {
	volatile int v = n;
	return v / 2;
}

/* objects.c has another function of this name. */
static __attribute__((noinline)) int hidden(int n) { return half(n) + 3; }

int far(int n), further(int n);
int shared(int n) {
	int h = half(n + 1);
	return h * hidden(h);
}

int main(int argc, char **argv) {
	(void)argv;
	return hidden(argc) + far(argc) + further(argc) + shared(argc);
}
