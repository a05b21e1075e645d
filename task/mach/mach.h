// One thin function for each call to the system: arguments in, answer out, by
// value. Nothing is decided here.

#ifndef STACKSNAP_MACH_H
#define STACKSNAP_MACH_H

#include <stdint.h>

typedef struct {
	int32_t ret; // kern_return_t, or errno for the BSD calls
	uint32_t port;
} mk_port;

typedef struct {
	int32_t ret;
	uint32_t count;
	uint32_t *ports;
} mk_ports;

typedef struct {
	int32_t ret;
	int32_t suspend_count;
} mk_task;

typedef struct {
	int32_t ret;
	int32_t is64;
	uint64_t addr;
} mk_dyld;

typedef struct {
	int32_t ret;
	uint64_t id;
	uint64_t queue;
	uint64_t handle;
} mk_identity;

typedef struct {
	int32_t ret;
	int32_t run_state;
	int32_t suspend_count;
	int64_t user_us;
	int64_t system_us;
} mk_basic;

typedef struct {
	int32_t ret;
	int32_t run_state;
	uint64_t user_ns;
	uint64_t system_ns;
	int32_t priority;
	int32_t base_priority;
	char name[65];
} mk_extended;

typedef struct {
	int32_t ret;
	uint64_t n;
} mk_count;

typedef struct {
	int32_t ret;
	int32_t prot;
	uint64_t start;
	uint64_t size;
	uint64_t offset;
	uint32_t tag;
	int32_t shared;
	int32_t file;
	uint32_t object;
} mk_region;

typedef struct {
	int32_t ret;
	void *at;
} mk_mapping;

typedef struct {
	uint32_t size;
	const void *at;
} mk_buffer;

typedef struct {
	int32_t ret;
	uint32_t flags;
	uint32_t status;
	uint32_t parent;
	uint32_t uid;
	uint64_t start_sec;
	uint64_t start_usec;
	char name[33];
} mk_bsd;

typedef struct {
	int32_t ret;
	uint64_t footprint;
	uint64_t peak;
} mk_usage;

mk_port mk_task_read_for_pid(int pid);
mk_port mk_task_for_pid(int pid);
int32_t mk_release(uint32_t port);
int32_t mk_is_dead(uint32_t port);

mk_ports mk_threads(uint32_t task);
int32_t mk_free_ports(uint32_t *ports, uint32_t count);
int32_t mk_suspend(uint32_t task);
int32_t mk_resume(uint32_t task);
mk_task mk_task_basic(uint32_t task);
mk_dyld mk_dyld_info(uint32_t task);

mk_identity mk_thread_identity(uint32_t thread);
mk_basic mk_thread_basic(uint32_t thread);
mk_extended mk_thread_extended(uint32_t thread);
mk_count mk_thread_state(uint32_t thread, int32_t flavor, void *words, uint32_t count);

mk_count mk_read(uint32_t task, uint64_t addr, void *to, uint64_t size);
mk_region mk_region_recurse(uint32_t task, uint64_t addr);
mk_region mk_region_basic(uint32_t task, uint64_t addr);

mk_mapping mk_remap_new(uint32_t task, uint64_t addr, uint64_t size);
mk_mapping mk_remap(uint32_t task, uint64_t addr, uint64_t size);
int32_t mk_read_only(const void *at, uint64_t size);
int32_t mk_unmap(const void *at, uint64_t size);
mk_region mk_own_region(const void *at);

mk_count mk_region_path(int pid, uint64_t addr, void *to, uint32_t size);

mk_bsd mk_bsd_info(int pid);
mk_port mk_cpu_type(int pid);
mk_count mk_cpu_time(int pid);
mk_usage mk_vm_info(uint32_t task);
mk_count mk_path(int pid, void *to, uint32_t size);
mk_count mk_folder(int pid, void *to, uint32_t size);
mk_count mk_file(int pid, int fd, int flavor, void *to, uint32_t size);
mk_count mk_pids(void *to, uint32_t size);
mk_count mk_processes(void *to, uint64_t size);
mk_count mk_children(int pid, void *to, uint32_t size);
mk_port mk_code_flags(int pid);
mk_count mk_entitlements(int pid, void *to, uint32_t size);
mk_port mk_protection(void);
int32_t mk_sandboxed(int pid);
mk_count mk_sysctl(const char *name, void *to, uint64_t size);
mk_count mk_queue_offsets(void *to, uint32_t size);

// A config is a stackshot_config_t *.
int32_t mk_exports(const char *name);
mk_count mk_shot_create(void);
int32_t mk_shot_pid(uint64_t config, int pid);
int32_t mk_shot_flags(uint64_t config, uint64_t flags);
int32_t mk_shot_hint(uint64_t config, uint32_t size);
int32_t mk_shot_since(uint64_t config, uint64_t time);
int32_t mk_shot_capture(uint64_t config);
mk_buffer mk_shot_buffer(uint64_t config);
int32_t mk_shot_drop(uint64_t config);
int32_t mk_shot_free(uint64_t config);

void mk_pause(uint32_t microseconds);
uint64_t mk_uptime(void);
uint64_t mk_continuous(void);
void mk_wait_until(uint64_t nanoseconds);
int32_t mk_time_constraint(uint64_t period, uint64_t computation, uint64_t constraint);
int32_t mk_standard_policy(void);

#endif
