package task

import (
	"errors"
	"slices"
)

// KernelFrame is a function of the system's kernel that a thread is in, as the kernel
// names it: it tells no address.
type KernelFrame struct {
	Name   string
	Module string // that it is of; empty: the kernel's own
	Offset uint64 // from its start, of the instruction after the call, or where it runs
	Size   uint64 // of the function; 0: neither is known
}

// The bounds of what a thread has of them: how many, and how long a name may be
// (KSYM_NAME_LEN, include/linux/kallsyms.h).
const (
	MaxKernelFrames = 128
	MaxKernelName   = 512
)

// ErrNoKernel is of a process of which nothing tells where its threads are in the kernel.
var ErrNoKernel = errors.New("nothing here tells where its threads are in the kernel: leave out --kernel")

// KernelTeller is a live [Process] that can tell where its threads are in the kernel.
type KernelTeller interface {
	// TellKernel has each Capture from now on set [Thread].Kernel. The line says what
	// of that cannot be told, and what to do about it; empty: nothing.
	TellKernel() (lacks string, err error)
}

// TellKernel is p's, where it is a [KernelTeller], and else [ErrNoKernel].
func TellKernel(p Process) (lacks string, err error) {
	if k, ok := p.(KernelTeller); ok {
		return k.TellKernel()
	}
	return "", ErrNoKernel
}

// LacksKernel tells of a thread that waits in the kernel, and of which it is not known
// where.
func (t *Thread) LacksKernel() bool {
	return len(t.Kernel) == 0 && (t.State == Sleeping || t.State == Uninterruptible)
}

// sameKernel reports whether a thread is at the same place in the kernel.
func (t *Thread) sameKernel(frames []KernelFrame) bool { return slices.Equal(t.Kernel, frames) }
