package task

import (
	"errors"
	"slices"
	"time"
)

// RunningCopier is a live [Process] whose system can copy more of a thread than a stop shows.
type RunningCopier interface {
	// CopyRunning starts copying the registers and stacks of threads as they run, for a sampling
	// at that interval, until the process is closed. With [SuspendNone] the capture of a running
	// thread is then its newest copy: see [Thread].Age. The error says in one line why this is
	// not possible, and what to do.
	CopyRunning(interval time.Duration) error
	// CopyKernel makes each later Capture set [Thread].Kernel. lacks says in one line which part
	// of that is not possible, and what to do about it; empty: nothing is lacking.
	CopyKernel() (lacks string, err error)
}

// KernelFrame is a function of the system's kernel that a thread is in. The kernel reports its
// name, but no address.
type KernelFrame struct {
	Name   string
	Module string // the kernel module that has the function; empty: the kernel itself
	Offset uint64 // offset in the function of the instruction after the call, or of the current one
	Size   uint64 // size of the function; 0: neither Offset nor Size is known
}

// The bounds of a thread's kernel stack in frames, and of a name in bytes (KSYM_NAME_LEN,
// include/linux/kallsyms.h).
const (
	MaxKernelFrames = 128
	MaxKernelName   = 512
)

// ErrNoKernel is returned for a process whose system does not report where its threads are in
// the kernel.
var ErrNoKernel = errors.New("nothing here tells where its threads are in the kernel: leave out --kernel")

// CopyKernel calls CopyKernel of p's [RunningCopier], or returns [ErrNoKernel] if p has none.
func CopyKernel(p Process) (lacks string, err error) {
	if r := p.Capabilities().Running; r != nil {
		return r.CopyKernel()
	}
	return "", ErrNoKernel
}

// LacksKernel reports whether the thread waits in the kernel but has no kernel frames.
func (t *Thread) LacksKernel() bool {
	return len(t.Kernel) == 0 && (t.State == Sleeping || t.State == Uninterruptible)
}

// sameKernel reports whether the thread is at the same place in the kernel as frames say.
func (t *Thread) sameKernel(frames []KernelFrame) bool { return slices.Equal(t.Kernel, frames) }
