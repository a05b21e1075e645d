// A thread in calls of which some are inlined, for ever.
#include <cstdio>
#include <unistd.h>

static volatile int sink;

struct Worker {
	int step;

	__attribute__((always_inline)) inline void wait() {
		usleep(20000);
		sink += step;
	}

	template <typename T> __attribute__((always_inline)) inline void each(T n) {
		for (T i = 0; i < n; i++)
			wait();
	}

	__attribute__((noinline)) void run(int n) {
		each<long>(n);
		sink--;
	}
};

static __attribute__((noinline)) void work(Worker &w) {
	for (;;)
		w.run(3);
}

int main() {
	printf("%d ready\n", getpid());
	fflush(stdout);
	Worker w{2};
	work(w);
}
