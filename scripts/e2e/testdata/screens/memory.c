// A loop that waits for memory: each step reads a cache line that no cache holds.
#include <stdint.h>
#include <stdlib.h>

enum { LINES = 1 << 21 };
struct line {
	uint64_t next, rest[7];
};

__attribute__((noinline)) static uint64_t chase(const struct line *lines) {
	uint64_t at = 0, sum = 0;
	for (;;) {
		at = lines[at].next;
		sum += at;
		__asm__ volatile("" : "+r"(sum));
	}
}

int main(void) {
	struct line *lines = calloc(LINES, sizeof *lines);
	for (uint64_t i = 0; i < LINES; i++)
		lines[i].next = (i * 1103515245 + 12345) % LINES;
	return (int)chase(lines);
}
