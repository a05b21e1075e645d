package task

import "time"

// OnCPUState says whether a [Running] thread was on a processor just before it was stopped.
type OnCPUState uint8

// The states.
const (
	OnCPUUnknown OnCPUState = iota // not known: it was on a processor, or waited for one
	OnCPU                          // on a processor until the stop: see [Thread].Processor
	Queued                         // it waited for a processor
)

// Schedule has the times that the system has counted for a thread since the thread began, to the
// microsecond. Where Ran and Queued are both 0, the system does not count them.
type Schedule struct {
	Ran    time.Duration // on a processor
	Queued time.Duration // ready to run, but without a processor
	// Stopped is the longest time for which our stops can have kept the thread from running
	// since its first sample. Part of it may be time in which the thread waited for a processor
	// anyway.
	Stopped time.Duration
}

// Known reports whether the system counts.
func (s *Schedule) Known() bool { return s.Ran|s.Queued != 0 }

// Known returns what was counted, all 0 where nothing is known.
func (l *Lifetime) Known() Lifetime {
	if l == nil {
		return Lifetime{}
	}
	return *l
}

// Lifetime is what Linux has counted of a thread since the thread began.
type Lifetime struct {
	Age time.Duration // 0: nothing is known
	// Ran and Queued are the times on a processor and waiting for one. Where both are 0, the
	// system does not count them.
	Ran, Queued time.Duration
	// Faults counts all page faults, DiskFaults only those for which the kernel had to read a
	// page.
	Faults, DiskFaults uint64
	Nice               int // nice value: the higher, the less of a processor it gets beside others
}

// ActivityReader is a live [Process] that reports what its threads do, at little cost and
// without a stop.
type ActivityReader interface {
	// NotRun reports whether the thread has not run since it was captured into t, or is at the
	// same place again. It may read from the running target. When in doubt it returns false. It
	// updates the facts in t that have changed since.
	NotRun(ThreadID, *Thread) bool
	// NothingRan reports whether no thread has run since NotRun returned true for each, so that
	// the list of threads and the mappings are unchanged, too. When in doubt it returns false.
	NothingRan() bool
	// CPUTimes returns how long a thread has run, and how long it has waited for a processor.
	// The times are as of the last call of NotRun if that was after the last listing of the
	// threads, otherwise as of now. ok is false where the system does not count them. For a
	// running thread they may lack the time since the last tick of its processor's clock.
	CPUTimes(ThreadID) (ran, queued time.Duration, ok bool)
	// WatchThread returns a watch that observes one thread repeatedly.
	WatchThread(ThreadID) (ThreadWatch, error)
}

// schedule records how a thread has been scheduled so far.
func (s *sampler) schedule(k *sampled) {
	if s.activity == nil {
		return
	}
	if ran, queued, ok := s.activity.CPUTimes(k.ID); ok {
		k.Schedule = Schedule{ran.Truncate(time.Microsecond), queued.Truncate(time.Microsecond), k.stopTime.Truncate(time.Microsecond)}
	}
}

// countStop counts a stop of the thread.
func (k *sampled) countStop(d time.Duration) {
	if k.State == Running { // else the stop cost it nothing: it was waiting anyway
		k.stopTime += d
	}
}

// ThreadWatch observes one thread repeatedly at little cost. It stops nothing, unless the system
// reports nothing about a thread that is not stopped: then its stops are short and rare.
type ThreadWatch interface {
	// Observe returns what the thread is doing. Its error is ErrThreadGone, or that the
	// system refuses.
	Observe() (ThreadActivity, error)
	// Counters reads what the thread has done so far.
	Counters() (Counters, error)
	Close() error
}

// ThreadActivity is what one observation of a thread shows.
type ThreadActivity struct {
	State State
	// Call is the system call that the thread is in, where the system reports it. Otherwise
	// Registers are those of a waiting thread, as it entered the kernel.
	Call      Syscall
	Registers Registers
	// Later means that the thread waits, and that a later observation will show where.
	Later bool
}

// Counters are totals of a thread, which only grow.
type Counters struct {
	CPU    time.Duration // used by the thread
	Queued time.Duration // spent waiting for a processor; 0 where the system does not report it
	// Sleeps counts how often the thread has begun to wait in the kernel. Being taken off a
	// processor for another thread does not count. It is valid if HasSleeps is set.
	Sleeps    uint64
	HasSleeps bool
}
