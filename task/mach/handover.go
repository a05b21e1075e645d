//go:build cgo && (darwin || machstandin)

package mach

/*
#include <stdlib.h>

#include "mach.h"

// These functions fill the buffers before they return, and do not call back, so the buffers need
// not move to the heap.
#cgo noescape mk_thread_state
#cgo nocallback mk_thread_state
#cgo noescape mk_read
#cgo nocallback mk_read
*/
import "C"

import (
	"bytes"
	"os"
	"unsafe"

	"stacksnap/task"
)

// These are the calls that pass memory to C or take memory from it. On Linux they are tested
// with a substitute for the C functions (standin_linux.c): cgo checks the arguments there in the
// same way.

const (
	pathSize = 4 * 1024 // PROC_PIDPATHINFO_MAXSIZE, 4 * MAXPATHLEN (bsd/sys/proc_info.h)
	maxPids  = 1 << 20

	sysctlSize = 1024 // larger than any sysctl that is read by name

	entitlementsSize = 64 << 10 // of a blob; larger ones are not read
)

// xnu is the kernel of this system.
type xnu struct{}

func (xnu) threads(t port) ([]port, Return) {
	r := C.mk_threads(C.uint32_t(t))
	if r.ret != 0 || r.count == 0 {
		return nil, Return(r.ret)
	}
	return unsafe.Slice((*port)(unsafe.Pointer(r.ports)), int(r.count)), success
}

// Every call takes the address of the first element in the call itself, after a check that there
// is one: cgo then checks only the elements for Go pointers. Otherwise it checks the whole
// object that the slice is a part of, and panics if it finds one (cmd/cgo, "Passing pointers").
// The arrays of ports and the mappings (mapping_calls.go) are memory that the kernel made. Go's
// collector does not know it, and it is freed by its address.

func (xnu) freePorts(ports []port) Return {
	if len(ports) == 0 {
		return success
	}
	return Return(C.mk_free_ports((*C.uint32_t)(unsafe.Pointer(&ports[0])), C.uint32_t(len(ports))))
}

func (xnu) state(t port, flavor int32, words []uint32) (int, Return) {
	if len(words) == 0 {
		return 0, invalidArgument
	}
	r := C.mk_thread_state(C.uint32_t(t), C.int32_t(flavor), unsafe.Pointer(&words[0]), C.uint32_t(len(words)))
	return min(int(r.n), len(words)), Return(r.ret)
}

func (xnu) read(t port, p []byte, a task.Addr) (int, Return) {
	if len(p) == 0 {
		return 0, success
	}
	r := C.mk_read(C.uint32_t(t), C.uint64_t(a), unsafe.Pointer(&p[0]), C.uint64_t(len(p)))
	return min(int(r.n), len(p)), Return(r.ret)
}

func goRegion(r C.mk_region) (region, Return) {
	end := task.Addr(r.start + r.size)
	if end < task.Addr(r.start) {
		end = ^task.Addr(0)
	}
	return region{
		start:  task.Addr(r.start),
		end:    end,
		prot:   task.Prot(r.prot & 7), // VM_PROT_READ 1, WRITE 2, EXECUTE 4
		tag:    uint32(r.tag),
		shared: r.shared != 0,
		file:   r.file != 0,
		offset: uint64(r.offset),
		object: uint32(r.object),
	}, Return(r.ret)
}

func (xnu) regionPath(pid int, a task.Addr) string {
	var b [pathSize]byte
	r := C.mk_region_path(C.int(pid), C.uint64_t(a), unsafe.Pointer(&b[0]), pathSize)
	return string(b[:min(int(r.n), pathSize)])
}

func (xnu) path(pid int) (string, Errno) {
	var b [pathSize]byte
	r := C.mk_path(C.int(pid), unsafe.Pointer(&b[0]), pathSize)
	if r.ret != 0 {
		return "", Errno(r.ret)
	}
	return string(b[:min(int(r.n), pathSize)]), ok
}

func (xnu) folder(pid int) (string, Errno) {
	var b [pathSize]byte
	r := C.mk_folder(C.int(pid), unsafe.Pointer(&b[0]), pathSize)
	if r.ret != 0 {
		return "", Errno(r.ret)
	}
	return string(b[:min(int(r.n), pathSize)]), ok
}

func (xnu) file(pid, fd, flavor int, b []byte) (int, Errno) {
	if len(b) == 0 {
		return 0, ok
	}
	r := C.mk_file(C.int(pid), C.int(fd), C.int(flavor), unsafe.Pointer(&b[0]), C.uint32_t(len(b)))
	return min(int(r.n), len(b)), Errno(r.ret)
}

// sysctl reads a value with one call and a buffer that is large enough.
func sysctl(name string) ([]byte, Errno) {
	var b [sysctlSize]byte
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	r := C.mk_sysctl(cname, unsafe.Pointer(&b[0]), sysctlSize)
	if r.ret != 0 {
		return nil, Errno(r.ret)
	}
	return b[:min(int(r.n), sysctlSize)], ok
}

func (xnu) pids() ([]int, Errno) {
	many := C.mk_pids(nil, 0)
	if many.ret != 0 {
		return nil, Errno(many.ret)
	}
	list := make([]int32, min(int(many.n)+spareThreads, maxPids)) // some may start meanwhile
	r := C.mk_pids(unsafe.Pointer(&list[0]), C.uint32_t(len(list)*4))
	if r.ret != 0 {
		return nil, Errno(r.ret)
	}
	var out []int
	for _, pid := range list[:min(int(r.n), len(list))] {
		out = append(out, int(pid))
	}
	return out, ok
}

func (xnu) children(pid int) ([]int, Errno) {
	for size := spareThreads; ; size *= 2 {
		list := make([]int32, size)
		r := C.mk_children(C.int(pid), unsafe.Pointer(&list[0]), C.uint32_t(len(list)*4))
		if r.ret != 0 {
			return nil, Errno(r.ret)
		}
		n := min(int(r.n), len(list))
		if n == len(list) && size < maxPids { // there may be more
			continue
		}
		out := make([]int, n)
		for i := range out {
			out[i] = int(list[i])
		}
		return out, ok
	}
}

func (xnu) entitled(entitlement string) bool {
	var b [entitlementsSize]byte
	r := C.mk_entitlements(C.int(os.Getpid()), unsafe.Pointer(&b[0]), entitlementsSize)
	return r.ret == 0 && bytes.Contains(b[:min(int(r.n), entitlementsSize)], []byte("<key>"+entitlement+"</key>"))
}

// processTable is KERN_PROC_ALL: whole entries of size bytes.
func processTable(size int) ([]byte, Errno) {
	many := C.mk_processes(nil, 0)
	if many.ret != 0 || many.n == 0 {
		return nil, Errno(many.ret)
	}
	b := make([]byte, min(int(many.n)/size+spareThreads, maxPids)*size) // some may start meanwhile
	r := C.mk_processes(unsafe.Pointer(&b[0]), C.uint64_t(len(b)))
	if r.ret != 0 {
		return nil, Errno(r.ret)
	}
	n := min(int(r.n), len(b))
	return b[:n-n%size], ok
}

func (xnu) queueOffsets() (queueOffsets, bool) {
	var b [queueOffsetsSize]byte
	if C.mk_queue_offsets(unsafe.Pointer(&b[0]), queueOffsetsSize).n == 0 {
		return queueOffsets{}, false
	}
	return parseQueueOffsets(b[:]), true
}
