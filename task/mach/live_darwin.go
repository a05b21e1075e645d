//go:build cgo && darwinlive

package mach

/*
#include <mach/mach.h>

#include "mach.h"

// mk_live_refs returns the number of references to one port, for all kinds of rights together; a
// kind that is not held has none.
static uint64_t mk_live_refs(mach_port_name_t name) {
	uint64_t all = 0;
	for (mach_port_right_t right = MACH_PORT_RIGHT_SEND; right < MACH_PORT_RIGHT_NUMBER; right++) {
		mach_port_urefs_t refs = 0;
		if (mach_port_get_refs(mach_task_self(), name, right, &refs) == KERN_SUCCESS)
			all += refs;
	}
	return all;
}

static int32_t mk_live_ports(uint32_t *count, uint64_t *refs) {
	mach_port_name_array_t names = NULL;
	mach_port_type_array_t types = NULL;
	mach_msg_type_number_t n = 0, m = 0;
	kern_return_t ret = mach_port_names(mach_task_self(), &names, &n, &types, &m);
	*refs = 0;
	if (ret == KERN_SUCCESS) {
		for (mach_msg_type_number_t i = 0; i < n; i++)
			*refs += mk_live_refs(names[i]);
		vm_deallocate(mach_task_self(), (vm_address_t)names, n * sizeof *names);
		vm_deallocate(mach_task_self(), (vm_address_t)types, m * sizeof *types);
	}
	*count = n;
	return ret;
}

static mk_region mk_live_region(uint64_t addr) { return mk_own_region((void *)(uintptr_t)addr); }
*/
import "C"

import "stacksnap/task"

// The tests on a live system (live_darwin_test.go) need to know what our process holds; a test
// file cannot contain C.

// ports has the number of names in our own space (mach_port_names), and of all references to
// them (mach_port_get_refs). A second right to the same port has the same name, and one
// reference more.
type ports struct{ names, refs int }

func ownPorts() (ports, Return) {
	var n C.uint32_t
	var refs C.uint64_t
	r := C.mk_live_ports(&n, &refs)
	return ports{int(n), int(refs)}, Return(r)
}

// ownRegions counts our own mappings, and the bytes of the writable ones.
func ownRegions() (count int, bytes uint64) {
	for a := task.Addr(1); ; {
		r, ret := goRegion(C.mk_live_region(C.uint64_t(a)))
		if ret != success || r.end <= a {
			return count, bytes
		}
		count++
		if r.prot&task.Write != 0 {
			bytes += uint64(r.end - r.start)
		}
		a = r.end
	}
}
