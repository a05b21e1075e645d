// Two transfers in opposite directions, each of which locks its source first: a deadlock.
#include <chrono>
#include <mutex>
#include <thread>

struct Account {
	std::mutex m;
	long cents = 0;
};
Account checking, savings;
static std::mutex start_together;

__attribute__((noinline)) void transfer(Account &from, Account &to) {
	std::lock_guard<std::mutex> first(from.m);
	std::this_thread::sleep_for(std::chrono::milliseconds(200));
	std::lock_guard<std::mutex> second(to.m);
	from.cents--, to.cents++;
}

int main() {
	std::thread a([] { transfer(checking, savings); });
	std::thread b([] { transfer(savings, checking); });
	a.join();
	b.join();
}
