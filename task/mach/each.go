package mach

import (
	"errors"
	"time"

	"stacksnap/task"
)

var (
	_ task.Sampled = (*Process)(nil)
	_ task.Clock   = (*Process)(nil)
)

// errThreadSuspend: osfmk/kern/thread_act.c, thread_suspend, only counts
// user_stop_count up, while a hold of task_suspend is a right that dies with its
// holder (osfmk/kern/task.c).
var errThreadSuspend = errors.New("macOS does not let a suspended thread run again if stacksnap is killed, so single threads are not suspended; the whole task is safe")

// AllowSuspend implements [task.Sampled].
func (p *Process) AllowSuspend(how task.Suspension) error {
	if how == task.SuspendThread || how == task.SuspendTogether {
		return errThreadSuspend
	}
	return nil
}

// Idle implements [task.Sampled]: a thread that waits, as it did before it was
// captured, and has used no CPU time since, has not run, or for less than the
// microsecond in which the kernel counts. A suspension of the task does not make
// it run. Where the kernel counts no times at all nothing is taken for idle.
func (p *Process) Idle(id task.ThreadID, t *task.Thread) bool {
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

// CaptureEach implements [task.Sampled], without any stop: for each question the
// kernel itself holds the thread for a moment (osfmk/kern/thread_act.c,
// thread_get_state_internal), so that the registers are of one instant, but the
// stack is of a later one.
func (p *Process) CaptureEach(how task.Suspension, ids []task.ThreadID, stands func(int), runs func(int, time.Duration, error)) error {
	if how != task.SuspendNone {
		return p.AllowSuspend(task.SuspendThread)
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

// Now implements [task.Clock].
func (p *Process) Now() time.Duration { return p.k.uptime() }

// SleepUntil implements [task.Clock].
func (p *Process) SleepUntil(t time.Duration) { p.k.waitUntil(t) }

// Asleep implements [task.Clock].
func (p *Process) Asleep() time.Duration { return p.k.continuous() - p.k.uptime() }
