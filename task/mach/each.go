package mach

import (
	"errors"
	"time"

	"stacksnap/task"
)

// errThreadSuspend: osfmk/kern/thread_act.c, thread_suspend, only counts
// user_stop_count up, while a hold of task_suspend is a right that dies with its
// holder (osfmk/kern/task.c).
var errThreadSuspend = errors.New("macOS does not let a suspended thread run again if stacksnap is killed, so single threads are not suspended; the whole task is safe")

// CanStop implements [task.ThreadStopper].
func (p *Process) CanStop(how task.Suspension) error {
	if how == task.SuspendThread || how == task.SuspendTogether {
		return errThreadSuspend
	}
	return nil
}

// NotRun implements [task.ActivityReader]: a thread that waits, as it did before it was
// captured, and has used no CPU time since, has not run, or for less than the
// microsecond in which the kernel counts. A suspension of the task does not make
// it run. Where the kernel counts no times at all nothing is taken for idle.
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

// NothingRan implements [task.ActivityReader]: that would take a question for each thread.
func (*Process) NothingRan() bool { return false }

// CPUTimes implements [task.ActivityReader]: Darwin does not count for how long a thread
// has waited for a processor.
func (*Process) CPUTimes(task.ThreadID) (ran, queued time.Duration, ok bool) { return 0, 0, false }

// Traced implements [task.ThreadStopper]: any number of programs can stop a task.
func (*Process) Traced() error { return nil }

// DetachLate implements [task.ThreadStopper]: a task is stopped as a whole, at once.
func (*Process) DetachLate() (left int) { return 0 }

// CaptureThreads implements [task.ThreadStopper], without any stop: for each question the
// kernel itself holds the thread for a moment (osfmk/kern/thread_act.c,
// thread_get_state_internal), so that the registers are of one instant, but the
// stack is of a later one.
func (p *Process) CaptureThreads(how task.Suspension, _ task.StopOptions, ids []task.ThreadID, stands func(int), runs func(int, time.Duration, error)) error {
	if how != task.SuspendNone {
		return p.CanStop(task.SuspendThread)
	}
	p.patience, p.unstopped = 0, true
	for i := range ids {
		stands(i)
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
