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
		t.Chains = s.chains.copyAll(p.Memory(), t.stopped(later), chains)
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

// stopped returns the copies of the thread's stack if it was stopped, so that its chains are of the same
// moment.
func (t *Thread) stopped(later bool) []Stack {
	if later || t.Skipped || t.Unstopped {
		return nil
	}
	return t.Stacks
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
