// A table that does not fit into memory: each read of it waits for the disk.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64 << 10 };

__attribute__((noinline)) static int look_up(const volatile char *table, uint64_t row) {
	return table[row % PAGES * PAGE];
}

static void evict(int fd, volatile char *table) {
	madvise((void *)table, (size_t)PAGES * PAGE, MADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

int main(int count, char **args) {
	int fd = open(count > 1 ? args[1] : "table", O_CREAT | O_RDWR, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, (off_t)PAGES * PAGE))
		return 1;
	static char page[PAGE] = {1};
	for (int i = 0; i < PAGES; i++)
		if (pwrite(fd, page, PAGE, (off_t)i * PAGE) != PAGE)
			return 1;
	fsync(fd);
	volatile char *table = mmap(0, (size_t)PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	madvise((void *)table, (size_t)PAGES * PAGE, MADV_RANDOM);
	uint64_t sum = 0;
	for (uint64_t i = 0;; i++) {
		if (i % 4096 == 0)
			evict(fd, table);
		sum += look_up(table, i * 2654435761);
	}
	return (int)sum;
}
