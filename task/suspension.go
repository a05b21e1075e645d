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

// Sampled is a live [Process] that need not be stopped as a whole.
type Sampled interface {
	Process
	// AllowSuspend returns why a suspension cannot be had, nil when it can.
	AllowSuspend(Suspension) error
	// Idle tells whether the thread has not run since it was captured into t, or
	// stands just as it did then. It may ask the running target, and errs on the
	// side of false. Facts of the thread that have changed since are set anew.
	Idle(ThreadID, *Thread) bool
	// CaptureEach deals with threads by SuspendThread, SuspendNone or
	// SuspendTogether. For each, by its index: it calls stands when the thread can be
	// given to Capture, and lets it run on when that returns, or by SuspendTogether
	// when it has returned for all; then, or when the thread cannot be had, it calls
	// runs with how long the thread stood and why it could not be had. Its order is
	// that in which threads stop. Its own error ends the sampling.
	CaptureEach(how Suspension, ids []ThreadID, stands func(int), runs func(int, time.Duration, error)) error
}

// Settler is a [Process] in which a thread may stop too late for a suspension, and
// then stands until it is let go of.
type Settler interface {
	// Settle lets go of such threads, and returns how many have not stopped yet.
	Settle() (left int)
}

// SettleEvery is how often to do so while there are any.
const SettleEvery = 10 * time.Millisecond

// Settle is p's, where it is a [Settler].
func Settle(p Process) (left int) {
	if s, ok := p.(Settler); ok {
		return s.Settle()
	}
	return 0
}

// Orderer is a [Process] that prepares in Suspend what hinders the target in
// nothing, before it tells the first thread to stop.
type Orderer interface {
	// Ordered returns when that was, in the last Suspend.
	Ordered() time.Time
}

// ordered returns when p was told to stop by a Suspend that was called at began.
func ordered(p Process, began time.Time) time.Time {
	if o, ok := p.(Orderer); ok {
		if at := o.Ordered(); at.After(began) {
			return at
		}
	}
	return began
}
