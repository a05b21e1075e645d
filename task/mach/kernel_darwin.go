//go:build cgo

package mach

// #include <stdlib.h>
// #include "mach.h"
import "C"

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

func systemKernel() (kernel, error) { return xnu{}, nil }

func (xnu) self() (pid, euid int) { return os.Getpid(), os.Geteuid() }

func (xnu) arch() task.Arch {
	if runtime.GOARCH == "arm64" {
		return task.ARM64
	}
	return task.AMD64
}

func (xnu) after(d time.Duration) <-chan time.Time { return time.After(d) }

func (xnu) pause(d time.Duration) { C.mk_pause(C.uint32_t(d.Microseconds())) }

func (xnu) uptime() time.Duration { return time.Duration(C.mk_uptime()) }

func (xnu) continuous() time.Duration { return time.Duration(C.mk_continuous()) }

func (xnu) waitUntil(t time.Duration) { C.mk_wait_until(C.uint64_t(t)) }

func (xnu) timeConstraint(period, computation, constraint time.Duration) Return {
	return Return(C.mk_time_constraint(C.uint64_t(period), C.uint64_t(computation), C.uint64_t(constraint)))
}

func (xnu) standardPolicy() Return { return Return(C.mk_standard_policy()) }

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

func (xnu) suspend(t port) Return { return Return(C.mk_suspend(C.uint32_t(t))) }

func (xnu) resume(t port) Return { return Return(C.mk_resume(C.uint32_t(t))) }

func (xnu) taskBasic(t port) (taskInfo, Return) {
	r := C.mk_task_basic(C.uint32_t(t))
	return taskInfo{suspendCount: int32(r.suspend_count)}, Return(r.ret)
}

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
		priority: task.Priority{Now: int(r.priority), Base: int(r.base_priority)},
	}, Return(r.ret)
}

func (xnu) regionRecurse(t port, a task.Addr) (region, Return) {
	return goRegion(C.mk_region_recurse(C.uint32_t(t), C.uint64_t(a)))
}

func (xnu) region(t port, a task.Addr) (region, Return) {
	return goRegion(C.mk_region_basic(C.uint32_t(t), C.uint64_t(a)))
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

func (xnu) cpuTime(pid int) (time.Duration, Errno) {
	r := C.mk_cpu_time(C.int(pid))
	return time.Duration(r.n), Errno(r.ret)
}

func (xnu) vmInfo(t port) (task.Footprint, Return) {
	r := C.mk_vm_info(C.uint32_t(t))
	return task.Footprint{Now: uint64(r.footprint), Peak: uint64(r.peak)}, Return(r.ret)
}

func (xnu) codeFlags(pid int) (uint32, Errno) {
	r := C.mk_code_flags(C.int(pid))
	return uint32(r.port), Errno(r.ret)
}

func (xnu) protection() (uint32, Errno) {
	r := C.mk_protection()
	return uint32(r.port), Errno(r.ret)
}

func (xnu) sandboxed() bool { return C.mk_sandboxed(C.int(os.Getpid())) != 0 }

func (xnu) flags(pid int) (uint32, Errno) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, errnoOf(err)
	}
	return uint32(p.Proc.P_flag), ok
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

func (xnu) processes() ([]task.Candidate, Errno) {
	b, e := processTable(unix.SizeofKinfoProc)
	if e != ok {
		return nil, e
	}
	var out []task.Candidate
	for i := range len(b) / unix.SizeofKinfoProc {
		p := &(*unix.KinfoProc)(unsafe.Pointer(&b[i*unix.SizeofKinfoProc])).Proc
		name, _, _ := bytes.Cut(p.P_comm[:], []byte{0})
		out = append(out, task.Candidate{PID: int(p.P_pid), Name: string(name)})
	}
	return out, ok
}

// errnoOf returns the number of an error of package unix.
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

func (xnu) exports(function string) bool {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	return C.mk_exports(name) != 0
}

func (xnu) newShot() (shotConfig, Errno) {
	r := C.mk_shot_create()
	return shotConfig(r.n), Errno(r.ret)
}

func (xnu) shotPID(c shotConfig, pid int) Errno {
	return Errno(C.mk_shot_pid(C.uint64_t(c), C.int(pid)))
}

func (xnu) shotFlags(c shotConfig, flags uint64) Errno {
	return Errno(C.mk_shot_flags(C.uint64_t(c), C.uint64_t(flags)))
}

func (xnu) shotHint(c shotConfig, size uint32) Errno {
	return Errno(C.mk_shot_hint(C.uint64_t(c), C.uint32_t(size)))
}

func (xnu) shotSince(c shotConfig, time uint64) Errno {
	return Errno(C.mk_shot_since(C.uint64_t(c), C.uint64_t(time)))
}

func (xnu) captureShot(c shotConfig) Errno { return Errno(C.mk_shot_capture(C.uint64_t(c))) }

// shotBuffer returns memory that the Go runtime does not manage.
func (xnu) shotBuffer(c shotConfig) []byte {
	b := C.mk_shot_buffer(C.uint64_t(c))
	if b.at == nil {
		return nil
	}
	return unsafe.Slice((*byte)(b.at), int(b.size))
}

func (xnu) dropShot(c shotConfig) Errno { return Errno(C.mk_shot_drop(C.uint64_t(c))) }

func (xnu) freeShot(c shotConfig) Errno { return Errno(C.mk_shot_free(C.uint64_t(c))) }
