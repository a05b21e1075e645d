//go:build linux

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	ntPRStatus = 1
	stackBytes = 8 << 10 // what 50 frames use, and more
)

// floor prints what the bare system calls of a stop cost: for each thread
// interrupt, wait, registers, stack and detach, and nothing between them.
func floor(runs int, threads string, pid int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stopped []time.Duration
	for range runs {
		d, err := bareStop(pid)
		if err != nil {
			return err
		}
		stopped = append(stopped, d)
	}
	row(threads, "bare system calls", &costs{stopped: stopped})
	return nil
}

func bareStop(pid int) (time.Duration, error) {
	tids, err := threadIDs(pid)
	if err != nil {
		return 0, err
	}
	for _, tid := range tids {
		if err := unix.PtraceSeize(tid); err != nil {
			return 0, err
		}
	}
	stack := make([]byte, stackBytes)
	begin := time.Now()
	for _, tid := range tids {
		if err := unix.PtraceInterrupt(tid); err != nil {
			return 0, err
		}
	}
	for range tids {
		var ws unix.WaitStatus
		tid, err := unix.Wait4(-1, &ws, unix.WALL|unix.WNOTHREAD, nil) // whichever stands
		if err != nil {
			return 0, err
		}
		readThread(tid, stack)
	}
	for _, tid := range tids {
		if err := unix.PtraceDetach(tid); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

// readThread gets registers and stack; what it gets does not matter.
func readThread(tid int, stack []byte) {
	var regs unix.PtraceRegs
	iov := unix.Iovec{Base: (*byte)(unsafe.Pointer(&regs)), Len: uint64(unsafe.Sizeof(regs))}
	_, _, _ = unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GETREGSET, uintptr(tid), ntPRStatus,
		uintptr(unsafe.Pointer(&iov)), 0, 0)
	local := []unix.Iovec{{Base: &stack[0], Len: uint64(len(stack))}}
	remote := []unix.RemoteIovec{{Base: stackPointer(&regs), Len: len(stack)}}
	_, _ = unix.ProcessVMReadv(tid, local, remote, 0)
}

func threadIDs(pid int) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}
