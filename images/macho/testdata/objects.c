/* Members of the archive that mapped is linked with. */
static __attribute__((noinline)) int hidden(int n) {
	volatile int v = n;
	return v + LINE;
}

int FUNCTION(int n) { return hidden(n) * 2; }
