//go:build cgo

package mach

/*
#include <stdlib.h>

#include "mach_darwin.h"

// The buffers handed over are filled before these return, and none calls back:
// nothing need move to the heap for them.
#cgo noescape mk_thread_state
#cgo nocallback mk_thread_state
#cgo noescape mk_read
#cgo nocallback mk_read
*/
import "C"

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

const (
	pathSize = 4 * 1024 // PROC_PIDPATHINFO_MAXSIZE, 4 * MAXPATHLEN (bsd/sys/proc_info.h)
	maxPids  = 1 << 20

	sysctlSize = 1024 // more than any sysctl has that is asked for by name
)

// xnu is the kernel of this system.
type xnu struct{}

func systemKernel() (kernel, error) { return xnu{}, nil }

func (xnu) self() (pid, euid int) { return os.Getpid(), os.Geteuid() }

func (xnu) arch() task.Arch {
	if runtime.GOARCH == "arm64" {
		return task.ARM64
	}
	return task.AMD64
}

func (xnu) isDarling() bool { return C.mk_is_darling() != 0 }

func (xnu) pause(d time.Duration) { C.mk_pause(C.uint32_t(d.Microseconds())) }

func (xnu) uptime() time.Duration { return time.Duration(C.mk_uptime()) }

func (xnu) continuous() time.Duration { return time.Duration(C.mk_continuous()) }

func (xnu) waitUntil(t time.Duration) { C.mk_wait_until(C.uint64_t(t)) }

func (xnu) taskReadForPID(pid int) (port, Errno) {
	r := C.mk_task_read_for_pid(C.int(pid))
	return port(r.port), Errno(r.ret)
}

func (xnu) taskForPID(pid int) (port, Return) {
	r := C.mk_task_for_pid(C.int(pid))
	return port(r.port), Return(r.ret)
}

func (xnu) release(p port) Return { return Return(C.mk_release(C.uint32_t(p))) }

func (xnu) isDead(p port) bool { return C.mk_is_dead(C.uint32_t(p)) != 0 }

func (xnu) threads(t port) ([]port, Return) {
	r := C.mk_threads(C.uint32_t(t))
	if r.ret != 0 || r.count == 0 {
		return nil, Return(r.ret)
	}
	return unsafe.Slice((*port)(unsafe.Pointer(r.ports)), int(r.count)), success
}

func (xnu) freePorts(ports []port) Return {
	first := (*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(ports)))
	return Return(C.mk_free_ports(first, C.uint32_t(len(ports))))
}

func (xnu) suspend(t port) Return { return Return(C.mk_suspend(C.uint32_t(t))) }

func (xnu) resume(t port) Return { return Return(C.mk_resume(C.uint32_t(t))) }

func (xnu) dyldInfo(t port) (dyldInfo, Return) {
	r := C.mk_dyld_info(C.uint32_t(t))
	return dyldInfo{addr: task.Addr(r.addr), is64: r.is64 != 0}, Return(r.ret)
}

func (xnu) identity(t port) (identity, Return) {
	r := C.mk_thread_identity(C.uint32_t(t))
	return identity{id: task.ThreadID(r.id), queue: task.Addr(r.queue), handle: task.Addr(r.handle)}, Return(r.ret)
}

func (xnu) basic(t port) (basicInfo, Return) {
	r := C.mk_thread_basic(C.uint32_t(t))
	return basicInfo{
		user:         time.Duration(r.user_us) * time.Microsecond,
		system:       time.Duration(r.system_us) * time.Microsecond,
		runState:     int32(r.run_state),
		suspendCount: int32(r.suspend_count),
	}, Return(r.ret)
}

func (xnu) extended(t port) (extendedInfo, Return) {
	r := C.mk_thread_extended(C.uint32_t(t))
	return extendedInfo{
		user:     time.Duration(r.user_ns),
		system:   time.Duration(r.system_ns),
		runState: int32(r.run_state),
		name:     C.GoString(&r.name[0]),
	}, Return(r.ret)
}

func (xnu) state(t port, flavor int32, words []uint32) (int, Return) {
	r := C.mk_thread_state(C.uint32_t(t), C.int32_t(flavor), unsafe.Pointer(unsafe.SliceData(words)), C.uint32_t(len(words)))
	return min(int(r.n), len(words)), Return(r.ret)
}

func (xnu) read(t port, p []byte, a task.Addr) (int, Return) {
	r := C.mk_read(C.uint32_t(t), C.uint64_t(a), unsafe.Pointer(unsafe.SliceData(p)), C.uint64_t(len(p)))
	return min(int(r.n), len(p)), Return(r.ret)
}

func (xnu) regionRecurse(t port, a task.Addr) (region, Return) {
	return goRegion(C.mk_region_recurse(C.uint32_t(t), C.uint64_t(a)))
}

func (xnu) region(t port, a task.Addr) (region, Return) {
	return goRegion(C.mk_region_basic(C.uint32_t(t), C.uint64_t(a)))
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

func (xnu) exists(pid int) Errno { return errnoOf(unix.Kill(pid, 0)) }

func (xnu) bsdInfo(pid int) (bsdInfo, Errno) {
	r := C.mk_bsd_info(C.int(pid))
	if r.ret != 0 {
		return bsdInfo{}, Errno(r.ret)
	}
	return bsdInfo{
		flags:  uint32(r.flags),
		status: uint32(r.status),
		parent: int(r.parent),
		uid:    int(r.uid),
		name:   C.GoString(&r.name[0]),
		start:  time.Unix(int64(r.start_sec), int64(r.start_usec)*1000),
	}, ok
}

func (xnu) cpuType(pid int) (uint32, Errno) {
	r := C.mk_cpu_type(C.int(pid))
	return uint32(r.port), Errno(r.ret)
}

func (xnu) flags(pid int) (uint32, Errno) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, errnoOf(err)
	}
	return uint32(p.Proc.P_flag), ok
}

func (xnu) path(pid int) (string, Errno) {
	var b [pathSize]byte
	r := C.mk_path(C.int(pid), unsafe.Pointer(&b[0]), pathSize)
	if r.ret != 0 {
		return "", Errno(r.ret)
	}
	return string(b[:min(int(r.n), pathSize)]), ok
}

func (xnu) arguments(pid int) ([]byte, Errno) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	return b, errnoOf(err)
}

func (xnu) text(name string) (string, Errno) {
	b, e := sysctl(name)
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text), e
}

// sysctl asks once, with room enough: Darling tells the length of a text without
// its NUL, and cuts it to that.
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

func (xnu) number(name string) (uint64, Errno) {
	b, e := sysctl(name)
	switch {
	case e != ok:
		return 0, e
	case len(b) == 4:
		return uint64(binary.LittleEndian.Uint32(b)), ok
	case len(b) == 8:
		return binary.LittleEndian.Uint64(b), ok
	}
	return 0, invalid
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

func (xnu) processes() ([]task.Candidate, Errno) {
	many := C.mk_processes(nil, 0)
	if many.ret != 0 || many.n == 0 {
		return procFolder(), Errno(many.ret)
	}
	list := make([]unix.KinfoProc, min(int(many.n)/unix.SizeofKinfoProc+spareThreads, maxPids)) // some may start meanwhile
	r := C.mk_processes(unsafe.Pointer(&list[0]), C.uint64_t(len(list)*unix.SizeofKinfoProc))
	if r.ret != 0 {
		return nil, Errno(r.ret)
	}
	var out []task.Candidate
	for i := range list[:min(int(r.n)/unix.SizeofKinfoProc, len(list))] {
		p := &list[i].Proc
		name, _, _ := bytes.Cut(p.P_comm[:], []byte{0})
		out = append(out, task.Candidate{PID: int(p.P_pid), Name: string(name)})
	}
	return out, ok
}

// procFolder lists the processes that /proc shows: Darling has one.
func procFolder() []task.Candidate {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []task.Candidate
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, task.Candidate{PID: pid})
		}
	}
	return out
}

func (xnu) queueOffsets() (queueOffsets, bool) {
	var b [queueOffsetsSize]byte
	if C.mk_queue_offsets(unsafe.Pointer(&b[0]), queueOffsetsSize).n == 0 {
		return queueOffsets{}, false
	}
	return parseQueueOffsets(b[:]), true
}

// errnoOf takes the number out of an error of package unix.
func errnoOf(err error) Errno {
	var e unix.Errno
	switch {
	case err == nil:
		return ok
	case errors.As(err, &e):
		return Errno(e)
	}
	return notSup
}
