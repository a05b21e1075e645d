//go:build cgo

// Calls to the system, one each. "The caller owns" means: has to give back.
// Prototypes and ownership: osfmk/mach/*.defs of XNU, bsd/sys/proc.h, libproc.h.

#include "mach.h"

#include <dlfcn.h>
#include <errno.h>
#include <libproc.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <mach/thread_policy.h>
#include <pthread.h>
#include <string.h>
#include <sys/proc_info.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>

// The SDK has these prototypes in <mach/mach_vm.h>, which not every collection
// of headers does. libSystem exports them everywhere.
#if __has_include(<mach/mach_vm.h>)
#include <mach/mach_vm.h>
#else
extern kern_return_t mach_vm_read_overwrite(vm_map_t, mach_vm_address_t, mach_vm_size_t,
	mach_vm_address_t, mach_vm_size_t *);
extern kern_return_t mach_vm_region(vm_map_t, mach_vm_address_t *, mach_vm_size_t *,
	vm_region_flavor_t, vm_region_info_t, mach_msg_type_number_t *, mach_port_t *);
extern kern_return_t mach_vm_region_recurse(vm_map_t, mach_vm_address_t *, mach_vm_size_t *,
	natural_t *, vm_region_recurse_info_t, mach_msg_type_number_t *);
extern kern_return_t mach_vm_remap(vm_map_t, mach_vm_address_t *, mach_vm_size_t, mach_vm_offset_t, int,
	vm_map_t, mach_vm_address_t, boolean_t, vm_prot_t *, vm_prot_t *, vm_inherit_t);
extern kern_return_t mach_vm_protect(vm_map_t, mach_vm_address_t, mach_vm_size_t, boolean_t, vm_prot_t);
extern kern_return_t mach_vm_deallocate(vm_map_t, mach_vm_address_t, mach_vm_size_t);
#endif

// bsd/sys/proc_info_private.h, which the SDK does not have.
#define MK_PROC_PIDARCHINFO 19

// Submaps are nested two deep at most in practice; the kernel stops at a leaf.
#define MK_DEPTH 1024

// bsd/sys/proc.h; a system call since macOS 11, so it is looked up when needed.
typedef int (*task_read_for_pid_fn)(mach_port_name_t, int, mach_port_name_t *);

// The caller owns the send right. ENOSYS where the system has no such call.
mk_port mk_task_read_for_pid(int pid) {
	mach_port_name_t port = MACH_PORT_NULL;
	task_read_for_pid_fn call = (task_read_for_pid_fn)dlsym(RTLD_DEFAULT, "task_read_for_pid");
	if (call == NULL) {
		return (mk_port){.ret = ENOSYS};
	}
	errno = 0;
	if (call(mach_task_self(), pid, &port) == 0) {
		return (mk_port){.port = port};
	}
	return (mk_port){.ret = errno != 0 ? errno : ENOSYS};
}

// The caller owns the send right.
mk_port mk_task_for_pid(int pid) {
	mach_port_name_t port = MACH_PORT_NULL;
	kern_return_t ret = task_for_pid(mach_task_self(), pid, &port);
	return (mk_port){.ret = ret, .port = port};
}

// Takes one reference from us.
int32_t mk_release(uint32_t port) {
	return mach_port_deallocate(mach_task_self(), port);
}

int32_t mk_is_dead(uint32_t port) {
	mach_port_type_t type = 0;
	kern_return_t ret = mach_port_type(mach_task_self(), port, &type);
	return ret == KERN_INVALID_NAME || (ret == KERN_SUCCESS && (type & MACH_PORT_TYPE_DEAD_NAME) != 0);
}

// The caller owns the array, and one reference to each of its ports.
mk_ports mk_threads(uint32_t task) {
	thread_act_array_t ports = NULL;
	mach_msg_type_number_t count = 0;
	kern_return_t ret = task_threads(task, &ports, &count);
	return (mk_ports){.ret = ret, .count = count, .ports = (uint32_t *)ports};
}

// Takes the array, not the references in it.
int32_t mk_free_ports(uint32_t *ports, uint32_t count) {
	return vm_deallocate(mach_task_self(), (vm_address_t)ports, count * sizeof *ports);
}

// The kernel puts a right to the hold into our space, which mk_resume takes out.
int32_t mk_suspend(uint32_t task) { return task_suspend(task); }

int32_t mk_resume(uint32_t task) { return task_resume(task); }

// Copies only.
mk_task mk_task_basic(uint32_t task) {
	struct mach_task_basic_info info = {0};
	mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
	kern_return_t ret = task_info(task, MACH_TASK_BASIC_INFO, (task_info_t)&info, &count);
	return (mk_task){.ret = ret, .suspend_count = info.suspend_count};
}

// Copies only.
mk_dyld mk_dyld_info(uint32_t task) {
	struct task_dyld_info info = {0};
	mach_msg_type_number_t count = TASK_DYLD_INFO_COUNT;
	kern_return_t ret = task_info(task, TASK_DYLD_INFO, (task_info_t)&info, &count);
	return (mk_dyld){
		.ret = ret,
		.is64 = info.all_image_info_format == TASK_DYLD_ALL_IMAGE_INFO_64,
		.addr = info.all_image_info_addr,
	};
}

// Copies only.
mk_identity mk_thread_identity(uint32_t thread) {
	struct thread_identifier_info info = {0};
	mach_msg_type_number_t count = THREAD_IDENTIFIER_INFO_COUNT;
	kern_return_t ret = thread_info(thread, THREAD_IDENTIFIER_INFO, (thread_info_t)&info, &count);
	return (mk_identity){.ret = ret, .id = info.thread_id, .queue = info.dispatch_qaddr, .handle = info.thread_handle};
}

// Copies only.
mk_basic mk_thread_basic(uint32_t thread) {
	struct thread_basic_info info = {0};
	mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
	kern_return_t ret = thread_info(thread, THREAD_BASIC_INFO, (thread_info_t)&info, &count);
	return (mk_basic){
		.ret = ret,
		.run_state = info.run_state,
		.suspend_count = info.suspend_count,
		.user_us = (int64_t)info.user_time.seconds * 1000000 + info.user_time.microseconds,
		.system_us = (int64_t)info.system_time.seconds * 1000000 + info.system_time.microseconds,
	};
}

// Copies only.
mk_extended mk_thread_extended(uint32_t thread) {
	struct thread_extended_info info = {0};
	mach_msg_type_number_t count = THREAD_EXTENDED_INFO_COUNT;
	kern_return_t ret = thread_info(thread, THREAD_EXTENDED_INFO, (thread_info_t)&info, &count);
	mk_extended out = {
		.ret = ret,
		.run_state = info.pth_run_state,
		.user_ns = info.pth_user_time,
		.system_ns = info.pth_system_time,
		.priority = info.pth_curpri,
		.base_priority = info.pth_priority,
	};
	memcpy(out.name, info.pth_name, sizeof info.pth_name); // the last byte stays 0
	return out;
}

// Copies only. count is in words, and so is the answer.
mk_count mk_thread_state(uint32_t thread, int32_t flavor, void *words, uint32_t count) {
	mach_msg_type_number_t n = count;
	kern_return_t ret = thread_get_state(thread, flavor, (thread_state_t)words, &n);
	return (mk_count){.ret = ret, .n = ret == KERN_SUCCESS ? n : 0};
}

// Copies only.
mk_count mk_read(uint32_t task, uint64_t addr, void *to, uint64_t size) {
	mach_vm_size_t n = 0;
	kern_return_t ret = mach_vm_read_overwrite(task, addr, size, (mach_vm_address_t)(uintptr_t)to, &n);
	return (mk_count){.ret = ret, .n = ret == KERN_SUCCESS ? n : 0};
}

// Copies only. The short structure spares the kernel a walk through the pages
// (osfmk/vm/vm_map.c, vm_map_region_recurse_64).
mk_region mk_region_recurse(uint32_t task, uint64_t addr) {
	struct vm_region_submap_short_info_64 info = {0};
	mach_msg_type_number_t count = VM_REGION_SUBMAP_SHORT_INFO_COUNT_64;
	mach_vm_address_t start = addr;
	mach_vm_size_t size = 0;
	natural_t depth = MK_DEPTH;
	kern_return_t ret = mach_vm_region_recurse(task, &start, &size, &depth, (vm_region_recurse_info_t)&info, &count);
	return (mk_region){
		.ret = ret,
		.prot = info.protection,
		.start = start,
		.size = size,
		.offset = info.offset,
		.tag = info.user_tag,
		.shared = info.share_mode == SM_SHARED || info.share_mode == SM_TRUESHARED || info.share_mode == SM_SHARED_ALIASED,
		.file = info.external_pager != 0,
		.object = info.object_id,
	};
}

// XNU gives no right to the memory object any more; one that came is released.
mk_region mk_region_basic(uint32_t task, uint64_t addr) {
	struct vm_region_basic_info_64 info = {0};
	mach_msg_type_number_t count = VM_REGION_BASIC_INFO_COUNT_64;
	mach_vm_address_t start = addr;
	mach_vm_size_t size = 0;
	mach_port_t object = MACH_PORT_NULL;
	kern_return_t ret = mach_vm_region(task, &start, &size, VM_REGION_BASIC_INFO_64, (vm_region_info_t)&info, &count, &object);
	if (ret == KERN_SUCCESS && MACH_PORT_VALID(object)) {
		mach_port_deallocate(mach_task_self(), object);
	}
	return (mk_region){
		.ret = ret,
		.prot = info.protection,
		.start = start,
		.size = size,
		.offset = info.offset,
		.shared = info.shared != 0,
	};
}

// osfmk/mach/mach_vm.defs of xnu-8019 (macOS 12) has it, that of xnu-7195.50
// (macOS 11) has not, so it is looked up when needed.
typedef kern_return_t (*remap_new_fn)(vm_map_t, mach_vm_address_t *, mach_vm_size_t, mach_vm_offset_t, int,
	vm_map_read_t, mach_vm_address_t, boolean_t, vm_prot_t *, vm_prot_t *, vm_inherit_t);

// The caller owns the mapping. Our children do not have it.
mk_mapping mk_remap_new(uint32_t task, uint64_t addr, uint64_t size) {
	mach_vm_address_t at = 0;
	vm_prot_t now = VM_PROT_READ, most = VM_PROT_READ;
	remap_new_fn call = (remap_new_fn)dlsym(RTLD_DEFAULT, "mach_vm_remap_new");
	if (call == NULL) {
		return (mk_mapping){.ret = KERN_NOT_SUPPORTED};
	}
	kern_return_t ret = call(mach_task_self(), &at, size, 0, VM_FLAGS_ANYWHERE, task, addr, FALSE, &now, &most, VM_INHERIT_NONE);
	return (mk_mapping){.ret = ret, .at = (void *)(uintptr_t)at};
}

// The caller owns the mapping. Our children do not have it.
mk_mapping mk_remap(uint32_t task, uint64_t addr, uint64_t size) {
	mach_vm_address_t at = 0;
	vm_prot_t now = VM_PROT_NONE, most = VM_PROT_NONE;
	kern_return_t ret = mach_vm_remap(mach_task_self(), &at, size, 0, VM_FLAGS_ANYWHERE, task, addr, FALSE, &now, &most, VM_INHERIT_NONE);
	return (mk_mapping){.ret = ret, .at = (void *)(uintptr_t)at};
}

int32_t mk_read_only(const void *at, uint64_t size) {
	return mach_vm_protect(mach_task_self(), (uintptr_t)at, size, FALSE, VM_PROT_READ);
}

// Takes the mapping.
int32_t mk_unmap(const void *at, uint64_t size) {
	return mach_vm_deallocate(mach_task_self(), (uintptr_t)at, size);
}

mk_region mk_own_region(const void *at) { return mk_region_recurse(mach_task_self(), (uintptr_t)at); }

// n is 0 where no file is mapped.
mk_count mk_region_path(int pid, uint64_t addr, void *to, uint32_t size) {
	int n = proc_regionfilename(pid, addr, to, size);
	return (mk_count){.n = n > 0 ? strnlen(to, size) : 0};
}

// The third argument lets zombies be found (bsd/kern/proc_info.c, proc_pidinfo).
mk_bsd mk_bsd_info(int pid) {
	struct proc_bsdinfo info = {0};
	errno = 0;
	if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 1, &info, sizeof info) != sizeof info) {
		return (mk_bsd){.ret = errno != 0 ? errno : ENOTSUP};
	}
	mk_bsd out = {
		.flags = info.pbi_flags,
		.status = info.pbi_status,
		.parent = info.pbi_ppid,
		.uid = info.pbi_uid,
		.start_sec = info.pbi_start_tvsec,
		.start_usec = info.pbi_start_tvusec,
	};
	if (info.pbi_name[0] != 0) {
		memcpy(out.name, info.pbi_name, sizeof info.pbi_name); // the last byte stays 0
	} else {
		memcpy(out.name, info.pbi_comm, sizeof info.pbi_comm);
	}
	return out;
}

// port is the cputype.
mk_port mk_cpu_type(int pid) {
	struct {
		uint32_t cputype, cpusubtype;
	} info = {0};
	errno = 0;
	if (proc_pidinfo(pid, MK_PROC_PIDARCHINFO, 0, &info, sizeof info) != sizeof info) {
		return (mk_port){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_port){.port = info.cputype};
}

// Copies only. A kernel of before the peak was told gives less than was asked for.
mk_usage mk_vm_info(uint32_t task) {
	struct task_vm_info info = {0};
	mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
	kern_return_t ret = task_info(task, TASK_VM_INFO, (task_info_t)&info, &count);
	return (mk_usage){
		.ret = ret,
		.footprint = info.phys_footprint,
		.peak = info.ledger_phys_footprint_peak > 0 ? info.ledger_phys_footprint_peak : 0,
	};
}

mk_count mk_path(int pid, void *to, uint32_t size) {
	errno = 0;
	int n = proc_pidpath(pid, to, size);
	if (n <= 0) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_count){.n = n};
}

mk_count mk_folder(int pid, void *to, uint32_t size) {
	struct proc_vnodepathinfo info = {0};
	errno = 0;
	if (proc_pidinfo(pid, PROC_PIDVNODEPATHINFO, 0, &info, sizeof info) != sizeof info) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	uint64_t n = strnlen(info.pvi_cdir.vip_path, sizeof info.pvi_cdir.vip_path);
	if (n > size) {
		return (mk_count){.ret = ENAMETOOLONG};
	}
	memcpy(to, info.pvi_cdir.vip_path, n);
	return (mk_count){.n = n};
}

mk_count mk_file(int pid, int fd, int flavor, void *to, uint32_t size) {
	errno = 0;
	int n = proc_pidfdinfo(pid, fd, flavor, to, size);
	if (n <= 0) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_count){.n = n};
}

// n counts pids; with to NULL it is how many there are, roughly.
mk_count mk_pids(void *to, uint32_t size) {
	errno = 0;
	int n = proc_listallpids(to, size);
	if (n <= 0) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_count){.n = n};
}

// n is in bytes; with to NULL it is how many there are, roughly.
mk_count mk_processes(void *to, uint64_t size) {
	int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_ALL, 0};
	size_t n = size;
	errno = 0;
	if (sysctl(name, sizeof name / sizeof *name, to, &n, NULL, 0) != 0) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_count){.n = n};
}

// n counts pids, at most as many as there is room for.
mk_count mk_children(int pid, void *to, uint32_t size) {
	errno = 0;
	int n = proc_listchildpids(pid, to, size);
	if (n < 0 || (n == 0 && errno != 0)) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_count){.n = n};
}

// bsd/sys/codesign.h, which the SDK does not have; libSystem exports these calls,
// which are looked up since they are not for everyone.
#define MK_CS_OPS_STATUS 0
#define MK_CS_OPS_ENTITLEMENTS_BLOB 7
typedef int (*csops_fn)(pid_t, unsigned int, void *, size_t);
typedef int (*csr_get_active_config_fn)(uint32_t *);
typedef int (*sandbox_check_fn)(pid_t, const char *, int, ...);

static int mk_csops(int pid, unsigned int op, void *to, size_t size) {
	csops_fn call = (csops_fn)dlsym(RTLD_DEFAULT, "csops");
	if (call == NULL) {
		return ENOSYS;
	}
	errno = 0;
	return call(pid, op, to, size) == 0 ? 0 : errno != 0 ? errno : ENOTSUP;
}

// port has the flags.
mk_port mk_code_flags(int pid) {
	uint32_t flags = 0;
	int ret = mk_csops(pid, MK_CS_OPS_STATUS, &flags, sizeof flags);
	return (mk_port){.ret = ret, .port = flags};
}

// n is how much of to may be written: the blob has its own length.
mk_count mk_entitlements(int pid, void *to, uint32_t size) {
	int ret = mk_csops(pid, MK_CS_OPS_ENTITLEMENTS_BLOB, to, size);
	return (mk_count){.ret = ret, .n = ret == 0 ? size : 0};
}

// port has the settings of System Integrity Protection.
mk_port mk_protection(void) {
	csr_get_active_config_fn call = (csr_get_active_config_fn)dlsym(RTLD_DEFAULT, "csr_get_active_config");
	uint32_t config = 0;
	if (call == NULL) {
		return (mk_port){.ret = ENOSYS};
	}
	errno = 0;
	if (call(&config) != 0) {
		return (mk_port){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_port){.port = config};
}

int32_t mk_sandboxed(int pid) {
	sandbox_check_fn call = (sandbox_check_fn)dlsym(RTLD_DEFAULT, "sandbox_check");
	return call != NULL && call(pid, NULL, 0) == 1;
}

mk_count mk_sysctl(const char *name, void *to, uint64_t size) {
	size_t n = size;
	errno = 0;
	if (sysctlbyname(name, to, &n, NULL, 0) != 0) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	return (mk_count){.n = n};
}

// n is 0 where libdispatch has no such symbol.
mk_count mk_queue_offsets(void *to, uint32_t size) {
	const void *offsets = dlsym(RTLD_DEFAULT, "dispatch_queue_offsets");
	if (offsets == NULL) {
		return (mk_count){0};
	}
	memcpy(to, offsets, size);
	return (mk_count){.n = size};
}

int32_t mk_exports(const char *name) { return dlsym(RTLD_DEFAULT, name) != NULL; }

// libsyscall/wrappers/stackshot.c; bsd/sys/stackshot.h, which the SDK does not have, so
// that these are looked up, and a config is not looked into.
typedef void stackshot_config_t;
typedef stackshot_config_t *(*shot_create_fn)(void);
typedef int (*shot_fn)(stackshot_config_t *);
typedef int (*shot_int_fn)(stackshot_config_t *, int);
typedef int (*shot_uint32_fn)(stackshot_config_t *, uint32_t);
typedef int (*shot_uint64_fn)(stackshot_config_t *, uint64_t);
typedef void *(*shot_buffer_fn)(stackshot_config_t *);
typedef uint32_t (*shot_size_fn)(stackshot_config_t *);

#define MK_CONFIG(config) ((stackshot_config_t *)(uintptr_t)(config))

// The caller owns the config: n.
mk_count mk_shot_create(void) {
	shot_create_fn call = (shot_create_fn)dlsym(RTLD_DEFAULT, "stackshot_config_create");
	if (call == NULL) {
		return (mk_count){.ret = ENOSYS};
	}
	stackshot_config_t *config = call();
	return (mk_count){.ret = config == NULL ? ENOMEM : 0, .n = (uintptr_t)config};
}

int32_t mk_shot_pid(uint64_t config, int pid) {
	shot_int_fn call = (shot_int_fn)dlsym(RTLD_DEFAULT, "stackshot_config_set_pid");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config), pid);
}

int32_t mk_shot_flags(uint64_t config, uint64_t flags) {
	shot_uint64_fn call = (shot_uint64_fn)dlsym(RTLD_DEFAULT, "stackshot_config_set_flags");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config), flags);
}

int32_t mk_shot_hint(uint64_t config, uint32_t size) {
	shot_uint32_fn call = (shot_uint32_fn)dlsym(RTLD_DEFAULT, "stackshot_config_set_size_hint");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config), size);
}

int32_t mk_shot_since(uint64_t config, uint64_t time) {
	shot_uint64_fn call = (shot_uint64_fn)dlsym(RTLD_DEFAULT, "stackshot_config_set_delta_timestamp");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config), time);
}

// The config owns a buffer then: mk_shot_drop.
int32_t mk_shot_capture(uint64_t config) {
	shot_fn call = (shot_fn)dlsym(RTLD_DEFAULT, "stackshot_capture_with_config");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config));
}

// The buffer stays the config's.
mk_buffer mk_shot_buffer(uint64_t config) {
	shot_buffer_fn buffer = (shot_buffer_fn)dlsym(RTLD_DEFAULT, "stackshot_config_get_stackshot_buffer");
	shot_size_fn size = (shot_size_fn)dlsym(RTLD_DEFAULT, "stackshot_config_get_stackshot_size");
	if (buffer == NULL || size == NULL || buffer(MK_CONFIG(config)) == NULL) {
		return (mk_buffer){0};
	}
	return (mk_buffer){.size = size(MK_CONFIG(config)), .at = buffer(MK_CONFIG(config))};
}

// Takes the buffer.
int32_t mk_shot_drop(uint64_t config) {
	shot_fn call = (shot_fn)dlsym(RTLD_DEFAULT, "stackshot_config_dealloc_buffer");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config));
}

// Takes the config.
int32_t mk_shot_free(uint64_t config) {
	shot_fn call = (shot_fn)dlsym(RTLD_DEFAULT, "stackshot_config_dealloc");
	return call == NULL ? ENOSYS : call(MK_CONFIG(config));
}

void mk_pause(uint32_t microseconds) { usleep(microseconds); }

// Nanoseconds of mach_absolute_time and mach_continuous_time.
uint64_t mk_uptime(void) { return clock_gettime_nsec_np(CLOCK_UPTIME_RAW); }

uint64_t mk_continuous(void) { return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW); }

void mk_wait_until(uint64_t nanoseconds) {
	mach_timebase_info_data_t base = {1, 1};
	mach_timebase_info(&base);
	mach_wait_until(nanoseconds / base.numer * base.denom + nanoseconds % base.numer * base.denom / base.numer);
}

// In the units of mach_absolute_time.
static uint32_t mk_ticks(uint64_t nanoseconds) {
	mach_timebase_info_data_t base = {1, 1};
	mach_timebase_info(&base);
	return (uint32_t)(nanoseconds * base.denom / base.numer);
}

// n is nanoseconds; the kernel counts in the units of mach_absolute_time
// (osfmk/kern/bsd_kern.c, fill_taskprocinfo).
mk_count mk_cpu_time(int pid) {
	struct proc_taskinfo info = {0};
	mach_timebase_info_data_t base = {1, 1};
	errno = 0;
	if (proc_pidinfo(pid, PROC_PIDTASKINFO, 0, &info, sizeof info) != sizeof info) {
		return (mk_count){.ret = errno != 0 ? errno : ENOTSUP};
	}
	mach_timebase_info(&base);
	uint64_t ticks = info.pti_total_user + info.pti_total_system;
	return (mk_count){.n = ticks / base.denom * base.numer + ticks % base.denom * base.numer / base.denom};
}

// Times in nanoseconds, each below 1.4 s. The thread's port is not given away by
// pthread_mach_thread_np.
int32_t mk_time_constraint(uint64_t period, uint64_t computation, uint64_t constraint) {
	struct thread_time_constraint_policy policy = {
		.period = mk_ticks(period),
		.computation = mk_ticks(computation),
		.constraint = mk_ticks(constraint),
		.preemptible = TRUE,
	};
	return thread_policy_set(pthread_mach_thread_np(pthread_self()), THREAD_TIME_CONSTRAINT_POLICY,
		(thread_policy_t)&policy, THREAD_TIME_CONSTRAINT_POLICY_COUNT);
}

int32_t mk_standard_policy(void) {
	struct thread_standard_policy policy = {0};
	return thread_policy_set(pthread_mach_thread_np(pthread_self()), THREAD_STANDARD_POLICY,
		(thread_policy_t)&policy, THREAD_STANDARD_POLICY_COUNT);
}
