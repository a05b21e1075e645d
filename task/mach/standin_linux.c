//go:build cgo && machstandin

// A stand-in for mach_darwin.c in the tests of what is handed to C: every buffer
// is filled with STANDIN_BYTE, as far as it is told to reach.

#include "mach.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STANDIN_BYTE 0xa5
#define STANDIN_PORTS 16
#define STANDIN_PIDS 3
#define STANDIN_TABLE 2000

static mk_count filled(void *to, uint64_t size) {
	memset(to, STANDIN_BYTE, size);
	return (mk_count){.n = size};
}

mk_ports mk_threads(uint32_t task) {
	uint32_t *ports = calloc(STANDIN_PORTS, sizeof *ports);
	return (mk_ports){.count = STANDIN_PORTS, .ports = ports};
}

int32_t mk_free_ports(uint32_t *ports, uint32_t count) {
	free(ports);
	return count != STANDIN_PORTS;
}

mk_count mk_thread_state(uint32_t thread, int32_t flavor, void *words, uint32_t count) {
	filled(words, count * sizeof(uint32_t));
	return (mk_count){.n = count};
}

mk_count mk_read(uint32_t task, uint64_t addr, void *to, uint64_t size) { return filled(to, size); }

mk_count mk_region_path(int pid, uint64_t addr, void *to, uint32_t size) { return filled(to, size); }

mk_count mk_path(int pid, void *to, uint32_t size) { return filled(to, size); }

mk_count mk_folder(int pid, void *to, uint32_t size) { return filled(to, size); }

mk_count mk_file(int pid, int fd, int flavor, void *to, uint32_t size) { return filled(to, size); }

mk_count mk_sysctl(const char *name, void *to, uint64_t size) { return filled(to, size); }

mk_count mk_queue_offsets(void *to, uint32_t size) { return filled(to, size); }

mk_count mk_pids(void *to, uint32_t size) {
	if (to != NULL) {
		filled(to, size);
	}
	return (mk_count){.n = STANDIN_PIDS};
}

mk_count mk_processes(void *to, uint64_t size) {
	if (to != NULL) {
		filled(to, size);
	}
	return (mk_count){.n = STANDIN_TABLE};
}

mk_count mk_entitlements(int pid, void *to, uint32_t size) { return filled(to, size); }

mk_count mk_children(int pid, void *to, uint32_t size) {
	filled(to, size);
	return (mk_count){.n = STANDIN_PIDS};
}

mk_mapping mk_remap_new(uint32_t task, uint64_t addr, uint64_t size) {
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return (mk_mapping){.ret = at == MAP_FAILED, .at = at};
}

mk_mapping mk_remap(uint32_t task, uint64_t addr, uint64_t size) { return mk_remap_new(task, addr, size); }

int32_t mk_read_only(const void *at, uint64_t size) { return mprotect((void *)at, size, PROT_READ); }

int32_t mk_unmap(const void *at, uint64_t size) { return munmap((void *)at, size); }

mk_region mk_own_region(const void *at) {
	return (mk_region){.start = (uintptr_t)at, .size = 1 << 20, .object = 1};
}
