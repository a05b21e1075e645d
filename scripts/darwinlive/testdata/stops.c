// stops PID N: stops a process N times, as stacksnap does but with nothing around
// the calls, and prints what they take: what a stop costs here whoever makes it.
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if __has_include(<mach/mach_vm.h>)
#include <mach/mach_vm.h>
#else
extern kern_return_t mach_vm_read_overwrite(vm_map_t, mach_vm_address_t, mach_vm_size_t,
	mach_vm_address_t, mach_vm_size_t *);
extern kern_return_t mach_vm_region(vm_map_t, mach_vm_address_t *, mach_vm_size_t *,
	vm_region_flavor_t, vm_region_info_t, mach_msg_type_number_t *, mach_port_t *);
#endif

#if defined(__arm64__)
typedef arm_thread_state64_t state;
enum { flavor = ARM_THREAD_STATE64, words = ARM_THREAD_STATE64_COUNT };
static uint64_t stack_of(const state *s) { return arm_thread_state64_get_sp(*s); }
#else
typedef x86_thread_state64_t state;
enum { flavor = x86_THREAD_STATE64, words = x86_THREAD_STATE64_COUNT };
static uint64_t stack_of(const state *s) { return s->__rsp; }
#endif

enum { SUSPEND, LIST, STATES, READS, RESUME, KINDS };
enum { RED_ZONE = 128, MOST = 64 << 10, THREADS = 1024 };

static uint64_t took[KINDS], began, stood;
static mach_timebase_info_data_t base;
static uint64_t ends[THREADS]; // of the threads' stacks
static char buffer[MOST];

static void ended(int kind) {
	uint64_t now = mach_absolute_time();
	took[kind] += now - began;
	began = now;
}

// stack_at asks until there is one, as a kernel that does not wait for the threads
// has none at first.
static uint64_t stack_at(thread_act_t thread) {
	state s = {0};
	for (int i = 0; i < 200; i++) {
		mach_msg_type_number_t n = words;
		if (thread_get_state(thread, flavor, (thread_state_t)&s, &n) == KERN_SUCCESS && stack_of(&s) != 0)
			return stack_of(&s);
		usleep(500);
	}
	return 0;
}

static uint64_t end_of(task_t task, uint64_t sp) {
	mach_vm_address_t a = sp;
	mach_vm_size_t size = 0;
	vm_region_basic_info_data_64_t info;
	mach_msg_type_number_t n = VM_REGION_BASIC_INFO_COUNT_64;
	mach_port_t object;
	if (mach_vm_region(task, &a, &size, VM_REGION_BASIC_INFO_64, (vm_region_info_t)&info, &n, &object) != KERN_SUCCESS)
		return 0;
	return a + size;
}

static void read_stack(task_t task, uint64_t sp, uint64_t end) {
	mach_vm_size_t got = 0, size = end - (sp - RED_ZONE);
	if (end < sp || size > MOST)
		size = MOST;
	mach_vm_read_overwrite(task, sp - RED_ZONE, size, (mach_vm_address_t)buffer, &got);
	mach_vm_read_overwrite(task, end, 1, (mach_vm_address_t)buffer, &got); // whether more is above
}

// stop does it once; with learn it finds where the stacks end, and counts nothing.
static unsigned stop(task_t task, int learn) {
	thread_act_array_t list;
	mach_msg_type_number_t count = 0;
	uint64_t first = began = mach_absolute_time(), sp[THREADS];
	if (task_suspend(task) != KERN_SUCCESS)
		exit(1);
	ended(SUSPEND);
	if (task_threads(task, &list, &count) != KERN_SUCCESS)
		exit(1);
	ended(LIST);
	unsigned n = count < THREADS ? count : THREADS;
	for (unsigned i = 0; i < n; i++) {
		sp[i] = stack_at(list[i]);
		ended(STATES);
		if (learn)
			ends[i] = end_of(task, sp[i]);
		else
			read_stack(task, sp[i], ends[i]);
		ended(READS);
	}
	task_resume(task);
	ended(RESUME);
	stood += began - first;
	for (unsigned i = 0; i < count; i++)
		mach_port_deallocate(mach_task_self(), list[i]);
	vm_deallocate(mach_task_self(), (vm_address_t)list, count * sizeof *list);
	if (learn) {
		stood = 0;
		for (int i = 0; i < KINDS; i++)
			took[i] = 0;
	}
	return n;
}

static double us(uint64_t t, int stops) { return (double)t * base.numer / base.denom / 1000 / stops; }

int main(int argc, char **argv) {
	mach_port_t task;
	int stops = argc > 2 ? atoi(argv[2]) : 1;
	if (argc < 2 || task_for_pid(mach_task_self(), atoi(argv[1]), &task) != KERN_SUCCESS)
		return 1;
	mach_timebase_info(&base);
	unsigned n = stop(task, 1);
	for (int i = 0; i < stops; i++)
		stop(task, 0);
	printf("| the calls alone | %u threads | %.1fµs | %.1fµs | %.1fµs | %.1fµs | %.1fµs | | | | %.1fµs | |\n", n, us(stood, stops),
		us(took[SUSPEND], stops), us(took[LIST], stops), us(took[STATES], stops), us(took[READS], stops), us(took[RESUME], stops));
	return 0;
}
