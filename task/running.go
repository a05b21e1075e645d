package task

import (
	"errors"
	"slices"
	"time"
)

// RunningCopier is a live [Process] whose system can copy more of a thread than a stop
// shows.
type RunningCopier interface {
	// CopyRunning has registers and stack of threads copied as they run, for a sampling
	// of that interval, until the process is closed. A capture by [SuspendNone] of a
	// thread that runs is then the newest of its copies: see [Thread].Age. The error
	// says in one line why that cannot be had, and what to do.
	CopyRunning(interval time.Duration) error
	// CopyKernel has each Capture from now on set [Thread].Kernel. Lacks says in one line what
	// of that cannot be had, and what to do about it; empty: nothing.
	CopyKernel() (lacks string, err error)
}

// KernelFrame is a function of the system's kernel that a thread is in, by its name: the kernel
// tells no addresses.
type KernelFrame struct {
	Name   string
	Module string // that it is of; empty: the kernel's own
	Offset uint64 // from its start, of the instruction after the call, or where it runs
	Size   uint64 // of the function; 0: neither is known
}

// The most frames in the kernel that a thread has, and the most bytes of a name
// (KSYM_NAME_LEN, include/linux/kallsyms.h).
const (
	MaxKernelFrames = 128
	MaxKernelName   = 512
)

// ErrNoKernel is of a process whose system does not tell where its threads are in the kernel.
var ErrNoKernel = errors.New("nothing here tells where its threads are in the kernel: leave out --kernel")

// CopyKernel calls that of p's [RunningCopier]. Without one its error is [ErrNoKernel].
func CopyKernel(p Process) (lacks string, err error) {
	if r := p.Capabilities().Running; r != nil {
		return r.CopyKernel()
	}
	return "", ErrNoKernel
}

// LacksKernel reports whether a thread waits in the kernel at an unknown place.
func (t *Thread) LacksKernel() bool {
	return len(t.Kernel) == 0 && (t.State == Sleeping || t.State == Uninterruptible)
}

// sameKernel reports whether a thread is at the same place in the kernel.
func (t *Thread) sameKernel(frames []KernelFrame) bool { return slices.Equal(t.Kernel, frames) }
