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

// A thread has one tracer at most. Another one that takes snapshots, too, lets go
// of it within milliseconds, so one that is refused is tried again for a while,
// before any is told to stop. Of two programs that wait for each other so, each
// goes through the threads in the order of /proc, and so gets all or none, but for
// those that were left out; and both give up in the end.
const (
	tracerTimeout = 20 * time.Millisecond
	tracerPause   = 200 * time.Microsecond
	tracerTries   = 3 // at a thread that is refused though nobody is known to trace it
)

// CanStop implements [task.ThreadStopper]: everything is possible, but that nothing
// stops what another program traces.
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

// Traced implements [task.ThreadStopper], by the first thread and the one that was last
// refused.
func (p *Process) Traced() error {
	for _, tid := range []int{p.PID, p.other.tid} {
		if tracer := p.Files.TracerOf(tid); tracer != 0 && tracer != os.Getpid() {
			return procfs.TracedBy(p.PID, tracer)
		}
	}
	return nil
}

// otherTracer is the one that keeps us from threads.
type otherTracer struct {
	by    *task.TracedError // in the last stop; nil: none did
	tid   int               // the thread that was last kept so
	until time.Time         // its threads are waited for, in this stop; zero: none was met
}

// begin begins a stop, in which none was met yet.
func (o *otherTracer) begin() { o.by, o.until = nil, time.Time{} }

// seizeLater tries again to attach to a thread that was refused: for no longer than
// tracerTimeout in all, and not if it was in vain the last time. Nothing is stopped yet.
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

// forget lets the thread be waited for again.
func (o *otherTracer) forget(tid int) {
	if o.tid == tid {
		o.tid = 0
	}
}

// absence says why a thread has not stopped.
func (p *Process) absence(th *thread) error {
	if th.phase == refused && p.other.by != nil {
		return p.other.by
	}
	return th.notStopped()
}
