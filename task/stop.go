package task

import (
	"sync"
	"time"
)

// Suspension is how much of the target is stopped for a sample.
type Suspension uint8

// The kinds of suspension.
const (
	// SuspendDefault is SuspendThread if the process allows it, else SuspendTask. A snapshot for
	// which SuspendThread would take too long is made with SuspendTogether.
	SuspendDefault Suspension = iota
	// SuspendTask stops every thread, so that all are seen at one instant.
	SuspendTask
	// SuspendThread stops one thread after another, each only while it is copied.
	SuspendThread
	// SuspendNone stops nothing, and reads what can be read of the running target.
	SuspendNone
	// SuspendTogether orders the threads that are to be captured to stop at once, captures each
	// as soon as it has stopped, and lets all run on when the last is captured. It does not
	// touch the other threads.
	SuspendTogether
)

var suspensionNames = [...]string{"default", "task", "thread", "none", "together"}

// String returns the suspension's name in lower case.
func (s Suspension) String() string {
	if int(s) >= len(suspensionNames) {
		s = SuspendDefault
	}
	return suspensionNames[s]
}

// ThreadStopper is a live [Process] that can be stopped as a whole or thread by thread.
type ThreadStopper interface {
	// CanStop returns why a suspension is not possible, nil when it is.
	CanStop(Suspension) error
	// CaptureThreads captures threads by SuspendThread, SuspendNone or SuspendTogether. For each
	// thread, given by its index in ids, it calls stopped when Capture can be called. The thread
	// runs on when stopped returns or, with SuspendTogether, when it has returned for all. Then,
	// or if the thread cannot be captured, CaptureThreads calls runs with how long the thread
	// was stopped and why it could not be captured. It goes through the threads in the order in
	// which they stop. Its own error ends the sampling. Of the options only Part is used.
	CaptureThreads(how Suspension, o StopOptions, ids []ThreadID, stopped func(int), runs func(int, time.Duration, error)) error
	// Traced returns a *[TracedError] while another program traces the target, else nil: a
	// thread can have only one tracer. It may be called from any goroutine while no other method
	// is running.
	Traced() error
	// SetLimits is called while nothing is stopped.
	SetLimits(Limits)
	// LastStop returns the times of the last Suspend, once resume has returned.
	LastStop() Stop
	// DetachLate detaches from threads that stopped too late for their suspension, and that stay
	// stopped until this call. It returns how many have not stopped yet.
	DetachLate() (left int)
}

// CanStop returns why p cannot be stopped in the way of how, nil when it can or when that is not
// known in advance. For [SuspendDefault] it checks whether p can be stopped as a whole.
func CanStop(p Process, how Suspension) error {
	s := p.Capabilities().Stopper
	if s == nil {
		return nil
	}
	if how == SuspendDefault {
		how = SuspendTask
	}
	return s.CanStop(how)
}

// DetachEvery is how often to call DetachLate while it returns more than 0.
const DetachEvery = 10 * time.Millisecond

// DefaultMaxStop is how long a stop may take to copy stacks by default.
const DefaultMaxStop = 50 * time.Millisecond

// Limits apply to every stop of a process. A zero field leaves the present limit unchanged.
type Limits struct {
	Gate *Gate // held during each stop; at first none
	// MaxCopy is how long a stop may spend copying stacks. Every thread gets an equal part of
	// it, and the innermost part of its stack is copied in any case. A thread whose stack is cut
	// for this reason has an error that says so. At first it is DefaultMaxStop.
	MaxCopy time.Duration
	// NoStop makes Suspend stop nothing. Capture then reads waiting threads where they wait, see
	// [Thread].Skipped, if they have not run meanwhile; for others it returns an error.
	NoStop bool
}

// SetLimits sets limits if p has a [ThreadStopper].
func SetLimits(p Process, l Limits) {
	if s := p.Capabilities().Stopper; s != nil {
		s.SetLimits(l)
	}
}

// StopOptions select what is stopped of a process; the zero value stops every thread. A process
// that is not [Capabilities].Partial ignores them.
type StopOptions struct {
	// Part are the only threads that are stopped, and that Threads lists while they are; nil:
	// all threads.
	Part []ThreadID
	// Skip does not stop threads that wait in a call which a stop would end for good, so that
	// the program would see it fail (Linux: epoll_wait returns EINTR), except those in Insist.
	// Capture reads a skipped thread where it waits, and sets its Skipped, if it has not run
	// since before the others were stopped; otherwise Capture stops it as well.
	Skip   bool
	Insist map[ThreadID]bool
	// OnCPU makes Suspend find out which of the Running threads are on a processor, so that
	// Capture can set [Thread].OnCPUState.
	OnCPU bool
}

// Stop has the times of one stop of a process.
type Stop struct {
	// Ordered is when the first thread was ordered to stop, after all preparations that do not
	// hinder the target; zero: nothing was stopped.
	Ordered time.Time
	// Released is when the target was allowed to run again, before the rest of resume's work;
	// zero: when resume returned.
	Released time.Time
}

// lastStop returns the times of the stop that was begun at began and whose resume has just
// returned. For a process without a [ThreadStopper] it lasts from began until now.
func lastStop(s ThreadStopper, began time.Time) Stop {
	t := Stop{Ordered: began}
	if s != nil {
		t = s.LastStop()
	}
	if !t.Ordered.IsZero() && t.Ordered.Before(began) {
		t.Ordered = began
	}
	if !t.Released.After(t.Ordered) {
		t.Released = time.Now()
	}
	return t
}

// Gate keeps our own process from being stopped while it has a target stopped. A nil Gate does
// nothing.
type Gate struct{ mu sync.RWMutex }

// Enter is called before something is stopped. It waits for a Between that is under way.
func (g *Gate) Enter() {
	if g != nil {
		g.mu.RLock()
	}
}

// Leave is called when what was stopped after [Gate.Enter] runs again.
func (g *Gate) Leave() {
	if g != nil {
		g.mu.RUnlock()
	}
}

// Between calls f while nothing is stopped. It first waits until everything runs again.
func (g *Gate) Between(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}
