package task

import (
	"sync"
	"time"
)

// Suspension is how much of the target is stopped while it is sampled.
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
	// captures each as soon as it has stopped, and lets them run on when that is done.
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

// ThreadStopper is a live [Process], which is stopped as a whole or thread by thread.
type ThreadStopper interface {
	// CanStop returns why a suspension cannot be had, nil when it can.
	CanStop(Suspension) error
	// CaptureThreads deals with threads by SuspendThread, SuspendNone or
	// SuspendTogether. For each, by its index: it calls stopped when the thread can be
	// given to Capture, and lets it run on when that returns, or by SuspendTogether
	// when it has returned for all; then, or when the thread cannot be had, it calls
	// runs with how long the thread was stopped and why it could not be had. Its order is
	// that in which threads stop. Its own error ends the sampling. Of the options only
	// Part is heeded.
	CaptureThreads(how Suspension, o StopOptions, ids []ThreadID, stopped func(int), runs func(int, time.Duration, error)) error
	// Traced returns a *[TracedError] while another program traces the target, which
	// only one at a time can, else nil. It may be called from any goroutine while no
	// other method is under way.
	Traced() error
	// SetLimits is called while nothing is stopped.
	SetLimits(Limits)
	// LastStop tells of the last Suspend, once resume has returned.
	LastStop() Stop
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

// DefaultMaxStop is how long a stop may take to copy stacks by default.
const DefaultMaxStop = 50 * time.Millisecond

// Limits hold for every stop of a process. A zero field leaves what holds already.
type Limits struct {
	Gate *Gate // within which it is stopped; at first none
	// MaxCopy is for how long a stop copies stacks: every thread gets an equal part of
	// it, and the innermost part of its stack in any case. What is cut so has an error
	// that says so. At first DefaultMaxStop.
	MaxCopy time.Duration
	// NoStop has Suspend stop nothing. Threads that wait are captured where they do, see
	// [Thread].Skipped, if they have not run meanwhile; of others Capture tells that they
	// could not be.
	NoStop bool
}

// SetLimits is the [ThreadStopper]'s, where p has one.
func SetLimits(p Process, l Limits) {
	if s := p.Capabilities().Stopper; s != nil {
		s.SetLimits(l)
	}
}

// StopOptions say what of a process is stopped: with the zero value every thread. A
// process that is not [Capabilities].Partial heeds none of them.
type StopOptions struct {
	// Part are the threads that alone are stopped, and listed by Threads while they are;
	// nil: all that there are.
	Part []ThreadID
	// Skip leaves threads where they are that wait in a call which a stop would end for
	// good, so that the program would see it fail (Linux: epoll_wait returns EINTR), but
	// for those that Insist has. Capture then reads them there and sets their Skipped, if
	// they have not run by then since before the others were stopped; else it stops them
	// as well.
	Skip   bool
	Insist map[ThreadID]bool
	// OnCPU has it found out which of the Running threads have a processor, for Capture
	// to set [Thread].OnCPUState.
	OnCPU bool
}

// Stop is when a process was stopped.
type Stop struct {
	// Ordered is when the first thread was told to stop, after what hinders the target in
	// nothing; zero: none was.
	Ordered time.Time
	// Released is when the target was told to run on, before what is done in resume
	// besides; zero: as resume returned.
	Released time.Time
}

// lastStop is the stop that was begun at began and whose resume has just returned. Of a
// process without a [ThreadStopper] it is all that time.
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

// Gate keeps our own process from being stopped while it has a target stopped. A
// nil Gate keeps nothing.
type Gate struct{ mu sync.RWMutex }

// Enter is called before something is stopped, and Leave when it runs on. Enter
// waits for a Between that is under way.
func (g *Gate) Enter() {
	if g != nil {
		g.mu.RLock()
	}
}

// Leave is called when what was stopped after [Gate.Enter] runs on.
func (g *Gate) Leave() {
	if g != nil {
		g.mu.RUnlock()
	}
}

// Between calls f while nothing is stopped. It waits until what is stopped runs on.
func (g *Gate) Between(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}
