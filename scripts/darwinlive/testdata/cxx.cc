// cxx COUNT: that many threads, the main one among them, each fifty calls deep in
// functions that have objects to destroy and exceptions to catch, which are thrown
// all the time.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<int> missing;
static volatile unsigned long sink;

struct Guard {
	int level;
	~Guard() { sink += level; }
};

struct Last {};

__attribute__((noinline)) void raise(int n) {
	if (n % 2)
		throw std::runtime_error("odd");
	sink += n;
}

template <int N> struct Call {
	__attribute__((noinline)) static void go(int n) {
		Guard g{N};
		try {
			raise(n);
			Call<N + 1>::go(n);
		} catch (const Last &) {
			sink++;
		}
	}
};

template <> struct Call<50> {
	__attribute__((noinline)) static void go(int) {
		missing--;
		for (int n = 0;; n++) {
			try {
				raise(n);
			} catch (const std::runtime_error &) {
				sink++;
			}
			usleep(20000);
		}
	}
};

static void announce() {
	while (missing > 0)
		usleep(1000);
	printf("%d ready\n", getpid());
	fflush(stdout);
}

int main(int argc, char **argv) {
	int count = argc > 1 ? atoi(argv[1]) : 1;
	missing = count;
	std::thread(announce).detach();
	std::vector<std::thread> threads;
	for (int i = 1; i < count; i++)
		threads.emplace_back([] { Call<0>::go(0); });
	Call<0>::go(0);
	return 0;
}
