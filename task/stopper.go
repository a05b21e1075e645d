package task

import "time"

// Suspension is how much of the target stands while it is sampled.
type Suspension uint8

// The suspensions.
const (
	// SuspendDefault is SuspendThread where the process allows it, and SuspendTask
	// where it does not. A snapshot for which SuspendThread would take too long is
	// made by SuspendTogether.
	SuspendDefault Suspension = iota
	// SuspendTask stops every thread, so that all are seen at one instant.
	SuspendTask
	// SuspendThread stops one thread after another, each for its own copy only.
	SuspendThread
	// SuspendNone stops nothing: what can be read of the running target is read.
	SuspendNone
	// SuspendTogether tells the threads that are to be captured to stop at once,
	// captures each as soon as it stands, and lets them run on when that is done.
	// The others are left alone.
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

// ThreadStopper is a live [Process] that need not be stopped as a whole.
type ThreadStopper interface {
	// CanStop returns why a suspension cannot be had, nil when it can.
	CanStop(Suspension) error
	// CaptureThreads deals with threads by SuspendThread, SuspendNone or
	// SuspendTogether. For each, by its index: it calls stands when the thread can be
	// given to Capture, and lets it run on when that returns, or by SuspendTogether
	// when it has returned for all; then, or when the thread cannot be had, it calls
	// runs with how long the thread stood and why it could not be had. Its order is
	// that in which threads stop. Its own error ends the sampling.
	CaptureThreads(how Suspension, ids []ThreadID, stands func(int), runs func(int, time.Duration, error)) error
	// Traced returns a *[TracedError] while another program traces the target, which
	// only one at a time can, else nil. It may be called from any goroutine while no
	// other method is under way.
	Traced() error
	// DetachLate detaches from threads that stopped too late for a suspension, which
	// stay stopped until then, and returns how many have not stopped yet.
	DetachLate() (left int)
}

// CanStop returns why p cannot be stopped as how says, nil when it can or that is
// not known before. A [SuspendDefault] asks whether p can be stopped as a whole.
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

// DetachEvery is how often to call DetachLate while threads are left.
const DetachEvery = 10 * time.Millisecond

// Orderer is a [Process] that prepares in Suspend what hinders the target in
// nothing, before it tells the first thread to stop.
type Orderer interface {
	// Ordered returns when that was, in the last Suspend; zero: nothing was stopped.
	Ordered() time.Time
}

// ordered returns when p was told to stop by a Suspend that was called at began,
// and whether it was.
func ordered(p Process, began time.Time) (at time.Time, stood bool) {
	o, ok := p.(Orderer)
	if !ok {
		return began, true
	}
	if at = o.Ordered(); at.After(began) {
		return at, true
	}
	return began, !at.IsZero()
}

// Releaser is a [Process] that does more in resume than to let the target run on.
type Releaser interface {
	// Released returns when the target was told to run on, in the last stop.
	Released() time.Time
}

// released returns when p was told to run on by a resume that has just returned,
// of a stop that was ordered at from.
func released(p Process, from time.Time) time.Time {
	if r, ok := p.(Releaser); ok {
		if at := r.Released(); at.After(from) {
			return at
		}
	}
	return time.Now()
}

// Divisible is a live [Process] that can be stopped in parts, some threads at a time.
type Divisible interface {
	// Divide has each Suspend from now on stop these threads alone, and Threads list
	// them while they stand; nil: all that there are. CaptureThreads is given them, too.
	Divide(part []ThreadID)
}

func divide(p Process, part []ThreadID) {
	if d, ok := p.(Divisible); ok {
		d.Divide(part)
	}
}

// DefaultMaxStop is how long a stop may take to copy stacks unless told otherwise.
const DefaultMaxStop = 50 * time.Millisecond

// StopLimiter is a live [Process] that ends its copies in time.
type StopLimiter interface {
	// LimitStop has no stop from now on copy stacks for longer than d: every thread
	// gets an equal part of it, and the innermost part of its stack in any case. What
	// is cut so has an error that says so.
	LimitStop(d time.Duration)
}

// LimitStop is p's, where it is a [StopLimiter].
func LimitStop(p Process, d time.Duration) {
	if l, ok := p.(StopLimiter); ok && d > 0 {
		l.LimitStop(d)
	}
}

// Sparer is a live [Process] that can do without stopping threads which wait in a
// call that a stop would end for good, so that the program would see it fail
// (Linux: epoll_wait returns EINTR).
type Sparer interface {
	// Spare has each Suspend from now on leave such threads where they wait, but for
	// those that insist has. Capture then reads them there and sets their Spared,
	// if they have not run by then since before the others stood; else it stops them
	// as well.
	Spare(on bool, insist map[ThreadID]bool)
}

func spare(p Process, on bool, insist map[ThreadID]bool) {
	if s, ok := p.(Sparer); ok {
		s.Spare(on, insist)
	}
}
