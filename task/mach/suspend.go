package mach

import (
	"errors"
	"fmt"
	"time"

	"stacksnap/task"
)

const (
	resumeTries = 3
	resumePause = time.Millisecond
)

var errStopped = errors.New("the target is stopped already")

// Suspend stops the task as a whole. The hold is released by resume, by Close, or by the kernel
// when this process ends in any way.
func (p *Process) Suspend(task.StopOptions) (resume func() error, err error) {
	if p.stopped {
		return nil, errStopped
	}
	p.reserve(len(p.held))
	p.stateWait = maxStateWait
	p.gate.Enter()
	p.last = task.Stop{Ordered: time.Now()}
	if r := p.k.suspend(p.task); r != success {
		p.undoSuspend(r)
		return nil, fmt.Errorf("stop pid %d: %w", p.pid, p.taskError("task_suspend", r))
	}
	p.stopped = true
	p.mapped.count = 0
	return p.resume, nil
}

// undoSuspend resumes after a task_suspend that failed only to return the right that represents
// the hold: the hold itself was already placed (osfmk/kern/task.c, task_suspend). Any other
// error means that there is no hold, and a resume would then release somebody else's.
func (p *Process) undoSuspend(r Return) {
	if r != resourceShortage && r != noSpace {
		p.gate.Leave()
		return
	}
	p.stopped = true
	_ = p.letRun()
}

// letRun is the resume function: it releases the hold, once, and whatever was left over from the
// stop. It does not accept a refusal at once, because too much depends on it.
func (p *Process) letRun() error {
	if !p.stopped {
		return nil
	}
	r := p.tryResume()
	p.last.Released = time.Now()
	switch {
	case r == success:
		p.runs()
		return nil
	case p.taskGone(r):
		p.runs()
		return p.exited
	case r == failure:
		// release_task_hold: the task lives, and nobody holds it (osfmk/kern/task.c).
		p.runs()
		return fmt.Errorf("pid %d was set running by someone else while it was read: %w", p.pid, &callError{"task_resume", r})
	}
	return fmt.Errorf("pid %d could not be set running again, which ending stacksnap will do: %w", p.pid, &callError{"task_resume", r})
}

// runs records the end of a stop: the hold is no longer ours.
func (p *Process) runs() {
	p.stopped = false
	p.gate.Leave()
	p.settle()
}

// SetLimits implements [task.ThreadStopper]. It uses only Gate.
func (p *Process) SetLimits(l task.Limits) {
	if l.Gate != nil {
		p.gate = l.Gate
	}
}

// LastStop implements [task.ThreadStopper]. The times do not include the releases after a stop,
// during which the target runs.
func (p *Process) LastStop() task.Stop { return p.last }

func (p *Process) tryResume() Return {
	r := p.k.resume(p.task)
	for range resumeTries - 1 {
		if r == success {
			return r
		}
		p.k.pause(resumePause)
		r = p.k.resume(p.task)
	}
	return r
}

var _ task.Process = (*Process)(nil)

// errThreadSuspend: thread_suspend (osfmk/kern/thread_act.c) only increments user_stop_count,
// while a hold of task_suspend is a right that disappears with its holder (osfmk/kern/task.c).
var errThreadSuspend = errors.New("macOS does not let a suspended thread run again if stacksnap is killed, so single threads are not suspended; the whole task is safe")

// CanStop implements [task.ThreadStopper].
func (p *Process) CanStop(how task.Suspension) error {
	if how == task.SuspendThread || how == task.SuspendTogether {
		return errThreadSuspend
	}
	return nil
}

// NotRun implements [task.ActivityReader]. A thread that waits, as it did before it was
// captured, and that has used no CPU time since, has not run, or for less than the kernel's unit
// of a microsecond. A suspension of the task does not make it run. If the kernel counts no times
// at all, no thread is regarded as idle.
func (p *Process) NotRun(id task.ThreadID, t *task.Thread) bool {
	if t.State != task.Sleeping || t.Unstopped {
		return false
	}
	name, found := p.find(id)
	if !found {
		return false
	}
	now, r := p.k.basic(name)
	return r == success && state(now.runState) == task.Sleeping && now.user+now.system > 0 &&
		now.user == t.User && now.system == t.System && int(now.suspendCount) == t.SuspendCount
}

// NothingRan implements [task.ActivityReader]. It returns false: otherwise it would need a call
// for each thread.
func (*Process) NothingRan() bool { return false }

// CPUTimes implements [task.ActivityReader]. It returns false: Darwin does not count how long a
// thread has waited for a processor.
func (*Process) CPUTimes(task.ThreadID) (ran, queued time.Duration, ok bool) { return 0, 0, false }

// Traced implements [task.ThreadStopper]. Any number of programs can stop a task.
func (*Process) Traced() error { return nil }

// DetachLate implements [task.ThreadStopper]. A task is always stopped as a whole.
func (*Process) DetachLate() (left int) { return 0 }

// CaptureThreads implements [task.ThreadStopper] without any stop. For each call the kernel
// itself holds the thread for a moment (osfmk/kern/thread_act.c, thread_get_state_internal), so
// that the registers are of one instant, but the stack is of a later one.
func (p *Process) CaptureThreads(how task.Suspension, _ task.StopOptions, ids []task.ThreadID, stopped func(int), runs func(int, time.Duration, error)) error {
	if how != task.SuspendNone {
		return p.CanStop(task.SuspendThread)
	}
	p.stateWait, p.unstopped = 0, true
	for i := range ids {
		stopped(i)
		runs(i, 0, nil)
	}
	p.unstopped = false
	if p.k.isDead(p.task) {
		return p.exited
	}
	return nil
}

// Now implements [task.Pacer].
func (p *Process) Now() time.Duration { return p.k.uptime() }

// SleepUntil implements [task.Pacer].
func (p *Process) SleepUntil(t time.Duration) { p.k.waitUntil(t) }

// Asleep implements [task.Pacer].
func (p *Process) Asleep() time.Duration { return p.k.continuous() - p.k.uptime() }
