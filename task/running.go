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

// ErrTorn is of a thread that ran while its chains were copied.
var ErrTorn = errors.New("its frames changed each time that they were read")

// maxTorn is how often the chains of a thread that may run are copied.
const maxTorn = 3

// captureChains copies chains of a thread, for which its stack was copied. If it was not stopped, it may
// run on: what was copied then has to be the same afterwards.
func (s *Snapshot) captureChains(p Process, t *Thread, chains []Chain) {
	from := s.chains.mark()
	for range maxTorn {
		later := s.running && (t.Age > 0 || t.Err != nil)
		if t.Err != nil && (!later || errors.Is(t.Err, ErrThreadGone) || isExited(t.Err)) {
			return
		}
		t.Chains = s.chains.copyAll(p.Memory(), chains)
		if s.isOneMoment(p, t, later, chains) {
			t.setLater(later)
			return
		}
		s.chains.rewind(from)
		if !later {
			s.captureAgain(p, t)
		}
	}
	t.Chains = nil
	if s.running {
		t.lose(ErrTorn)
	}
}

// captureAgain copies the stack of a thread once more.
func (s *Snapshot) captureAgain(p Process, t *Thread) {
	for i := range t.Stacks {
		s.used -= len(t.Stacks[i].Bytes)
	}
	s.captureStack(p, t)
}

// isOneMoment reports whether the chains of a thread are of one moment, and unless they are later of
// that of its stack.
func (s *Snapshot) isOneMoment(p Process, t *Thread, later bool, chains []Chain) bool {
	switch {
	case t.Skipped && !later && s.stays != nil:
		return s.stays(t.ID)
	case t.Skipped || t.Unstopped || later:
		return s.chains.holds(p.Memory(), chains, t.Chains)
	}
	return true
}

// setLater notes whether the chains are of a later moment than the stack. They are known also where
// nothing else of a thread is. If they lead nowhere, the stack alone counts.
func (t *Thread) setLater(later bool) {
	switch {
	case !later:
	case !slices.ContainsFunc(t.Chains, func(c CopiedChain) bool { return !c.Beside && len(c.Objects) > 1 }):
		t.Chains = nil
	default:
		t.Later, t.Kernel = true, nil
		if t.Err != nil {
			t.lose(nil)
		}
	}
}

// lose drops registers and stack.
func (t *Thread) lose(err error) {
	t.Registers, t.Stacks, t.Kernel, t.Age, t.Err = Registers{}, t.Stacks[:0], nil, 0, err
	t.Unstopped, t.Skipped, t.Call = false, false, Syscall{}
}
