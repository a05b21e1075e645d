// A library that computes for a moment when it is called, by the name of VISIT: in
// the same place as any other of it.
static volatile unsigned long sink;

__attribute__((noinline)) void VISIT(void) {
	for (int i = 0; i < 500000; i++)
		sink++;
}
