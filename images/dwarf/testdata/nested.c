// Calls inlined in each other, for the reader of images/dwarf. Built as
//	gcc -gdwarf-4 -O2 -shared -nostdlib -fno-asynchronous-unwind-tables -o nested-4.so nested.c
// and with -gdwarf-5, each then stripped of what is not debugging information with
//	objcopy --only-keep-debug
//
// split-4 and split-5 are made with -gsplit-dwarf, split-4.dwp by llvm-dwp, and shared.sup
// by dwz -m from two copies of shared.so, which is another nested-4.so.
static int values[8];

static inline int leaf(int x)
{
	values[x & 7] += x;
	return x * 3;
}

static inline int branch(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++)
		sum += leaf(i);
	return sum;
}

static __attribute__((noinline)) int trunk(int x)
{
	return branch(x) + leaf(x + 1);
}

__attribute__((cold, noinline)) static int rare(int x)
{
	return leaf(-x);
}

int root(int x)
{
	if (x < 0)
		return rare(x);
	return trunk(x) ^ trunk(x + 2);
}
