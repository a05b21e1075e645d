package task

import "time"

// OnCPUState says whether a [Running] thread had a processor just before it was stopped.
type OnCPUState uint8

// The states.
const (
	OnCPUUnknown OnCPUState = iota // it had one or waited for one
	OnCPU                          // it had, until the stop: see [Thread].Processor
	Queued                         // it waited for one
)

// Schedule has the times that the system has counted for a thread since the thread began, to
// the microsecond. Where both Ran and Queued are 0 the system does not count.
type Schedule struct {
	Ran    time.Duration // on processors
	Queued time.Duration // in which it could have run, and had none
	// Stopped is the longest time for which our stops can have kept it from running since it was
	// sampled first. It may have waited for a processor in a part of that.
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
	// Ran and Queued are the times on a processor and waiting for one. Where both are 0 the
	// system does not count.
	Ran, Queued time.Duration
	// Faults are all page faults, DiskFaults those for which the kernel had to read a page.
	Faults, DiskFaults uint64
	Nice               int // nice value: the higher, the less of a processor it gets beside others
}

// ActivityReader is a live [Process] that reports what its threads do, at little cost and
// without a stop.
type ActivityReader interface {
	// NotRun reports whether the thread has not run since it was captured into t, or is
	// just where it was then. It may ask the running target, and errs on the
	// side of false. Facts of the thread that have changed since are set anew.
	NotRun(ThreadID, *Thread) bool
	// NothingRan reports whether no thread has run since NotRun said so of each, so that
	// there are the same threads, and the same is mapped. It errs on the side of false.
	NothingRan() bool
	// CPUTimes returns for how long a thread has run and has waited for a processor, as
	// of the last call of NotRun if that was since the last listing, else as of now;
	// false where the system does not count. They may lack what a processor that is in
	// use has not counted yet: the time since the last tick of its clock.
	CPUTimes(ThreadID) (ran, queued time.Duration, ok bool)
	// WatchThread returns what observes one thread again and again.
	WatchThread(ThreadID) (ThreadWatch, error)
}

// schedule notes how a thread has been scheduled so far.
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
	if k.State == Running { // else it waited for something all the same
		k.stopTime += d
	}
}

// ThreadWatch observes one thread again and again at little cost. It stops nothing, unless the
// system tells nothing about a thread that is not stopped: then its stops are short and rare.
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
	// Call is the system call that it is in, where the system tells; else
	// Registers are those of a thread that waits, as it entered the kernel.
	Call      Syscall
	Registers Registers
	// Later: the thread waits, and a later observation will show where.
	Later bool
}

// Counters only grow.
type Counters struct {
	CPU    time.Duration // used by the thread
	Queued time.Duration // spent waiting for a processor; 0 where the system does not tell
	// Sleeps counts how often the thread has begun to wait in the kernel: not when
	// it was taken off a processor for another. Known where HasSleeps.
	Sleeps    uint64
	HasSleeps bool
}
