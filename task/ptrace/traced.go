//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"stacksnap/task"
)

var errRefused = errors.New("the system did not let the thread be stopped: another program may trace it")

// A thread has one tracer at most. Another one that takes snapshots, too, lets go
// of it within milliseconds, so one that is refused is tried again for a while,
// before any is told to stop. Of two programs that wait for each other so, each
// goes through the threads in the order of /proc, and so gets all or none, but for
// those that were left out; and both give up in the end.
const (
	tracerPatience = 20 * time.Millisecond
	tracerPause    = 200 * time.Microsecond
	tracerTries    = 3 // at a thread that is refused though nobody is known to trace it
)

// AllowSuspend implements [task.Sampled]: everything is possible, but that nothing
// stops what another program traces.
func (p *Process) AllowSuspend(how task.Suspension) error {
	if how == task.SuspendNone {
		return nil
	}
	tracer := p.tracerOf(p.pid)
	for began := time.Now(); tracer != 0 && time.Since(began) < tracerPatience; tracer = p.tracerOf(p.pid) {
		pause(tracerPause)
	}
	if tracer == 0 {
		return nil
	}
	return permission(tracedBy(p.pid, tracer))
}

// Traced implements [task.Traceable], by the first thread and the one that was last
// refused.
func (p *Process) Traced() error {
	for _, tid := range []int{p.pid, p.tracedID} {
		if tracer := p.tracerOf(tid); tracer != 0 && tracer != os.Getpid() {
			return tracedBy(p.pid, tracer)
		}
	}
	return nil
}

// meet begins a stop, in which no other tracer was met yet.
func (p *Process) meet() { p.traced, p.seizeUntil, p.reads = nil, time.Time{}, 0 }

// seizeLater tries again to attach to a thread that was refused: for no longer than
// tracerPatience in all, and not if it was in vain the last time. Nothing stands yet.
func (p *Process) seizeLater(th *thread) {
	if p.seizeUntil.IsZero() {
		p.seizeUntil = time.Now().Add(tracerPatience)
	}
	for unknown := 0; unknown < tracerTries; {
		tracer := p.tracerOf(th.tid) // before the attempt: it may let go meanwhile
		p.seize(th)
		switch {
		case th.phase != refused:
			return
		case tracer == 0:
			unknown++
		case th.tid == p.tracedID || time.Now().After(p.seizeUntil):
			p.traced, p.tracedID = tracedBy(p.pid, tracer), th.tid
			return
		default:
			pause(tracerPause)
		}
	}
}

// forget lets the thread be waited for again.
func (p *Process) forget(tid int) {
	if p.tracedID == tid {
		p.tracedID = 0
	}
}

// absence says why a thread does not stand.
func (p *Process) absence(th *thread) error {
	if th.phase == refused && p.traced != nil {
		return p.traced
	}
	return th.notStopped()
}

// tracerOf returns the thread that traces a thread, 0 when none does or that is no
// more.
func (p *Process) tracerOf(tid int) int {
	if tid == 0 {
		return 0
	}
	var status [1024]byte // the line is one of the first
	return statusNumber(readTask(p.threads.dir, tid, "/status\x00", status[:]), "TracerPid:")
}

// tracedBy names the process of the thread that traces one of a process.
func tracedBy(pid, tracer int) *task.TracedError {
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tracer)); err == nil {
		tracer = statusNumber(status, "Tgid:")
	}
	name := "of unknown name"
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", tracer)); err == nil {
		name = string(bytes.TrimSpace(comm))
	}
	return &task.TracedError{PID: pid, Tracer: tracer, Name: name}
}
