//go:build linux

package ptrace

import (
	"errors"
	"os"
	"time"

	"stacksnap/task"
	"stacksnap/task/procfs"
)

var errRefused = errors.New("the system did not let the thread be stopped: another program may trace it")

// A thread has at most one tracer. Another program that takes snapshots releases a thread within
// milliseconds, so attaching to a refused thread is tried again for a while, before any thread
// is ordered to stop. Two programs that wait for each other in this way both go through the
// threads in the order of /proc, so that one of them gets all threads and the other none, except
// for those that were left out; and both give up in the end.
const (
	tracerTimeout = 20 * time.Millisecond
	tracerPause   = 200 * time.Microsecond
	tracerTries   = 3 // if the thread is refused though it has no known tracer
)

// CanStop implements [task.ThreadStopper]. Everything is possible, except that a process that
// another program traces cannot be stopped.
func (p *Process) CanStop(how task.Suspension) error {
	if how == task.SuspendNone {
		return nil
	}
	tracer := p.Files.TracerOf(p.PID)
	for began := time.Now(); tracer != 0 && time.Since(began) < tracerTimeout; tracer = p.Files.TracerOf(p.PID) {
		pause(tracerPause)
	}
	if tracer == 0 {
		return nil
	}
	return procfs.TracedRefusal(procfs.TracedBy(p.PID, tracer))
}

// Traced implements [task.ThreadStopper]. It checks the first thread and the one that was last
// refused.
func (p *Process) Traced() error {
	for _, tid := range []int{p.PID, p.other.tid} {
		if tracer := p.Files.TracerOf(tid); tracer != 0 && tracer != os.Getpid() {
			return procfs.TracedBy(p.PID, tracer)
		}
	}
	return nil
}

// otherTracer is what is known of a tracer that keeps us from attaching.
type otherTracer struct {
	by    *task.TracedError // the tracer met in the last stop; nil: none
	tid   int               // the thread that was last refused because of it
	until time.Time         // end of the retries in this stop; zero: none was needed
}

// begin resets o for a new stop.
func (o *otherTracer) begin() { o.by, o.until = nil, time.Time{} }

// seizeLater tries again to attach to a refused thread. The retries of a stop take at most
// tracerTimeout in all. A thread for which they failed the last time is tried only once. Nothing
// is stopped yet.
func (p *Process) seizeLater(th *thread) {
	if p.other.until.IsZero() {
		p.other.until = time.Now().Add(tracerTimeout)
	}
	for unknown := 0; unknown < tracerTries; {
		tracer := p.Files.TracerOf(th.tid) // before the attempt: it may let go meanwhile
		p.seize(th)
		switch {
		case th.phase != refused:
			return
		case tracer == 0:
			unknown++
		case th.tid == p.other.tid || time.Now().After(p.other.until):
			p.other.by, p.other.tid = procfs.TracedBy(p.PID, tracer), th.tid
			return
		default:
			pause(tracerPause)
		}
	}
}

// forget allows retries for a thread again.
func (o *otherTracer) forget(tid int) {
	if o.tid == tid {
		o.tid = 0
	}
}

// absence returns why a thread has not stopped.
func (p *Process) absence(th *thread) error {
	if th.phase == refused && p.other.by != nil {
		return p.other.by
	}
	return th.notStopped()
}
