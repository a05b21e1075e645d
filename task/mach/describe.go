package mach

import (
	"stacksnap/task"
)

// Describe fills the thread's name, queue, state, CPU times, priority, quality of
// service and suspend count.
// Each of the kernel's flavors of information that is refused costs only the
// facts in it. The state is that of the moment, so it is asked for while the
// target runs; see isHalted.
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	h := p.lookup(id)
	if h == nil {
		return task.ErrThreadGone
	}
	t.ID = id
	name := h.port
	basic, r := p.k.basic(name)
	if r != success && p.threadGone(name, r) {
		return task.ErrThreadGone
	}
	if r == success {
		t.State = state(basic.runState)
		t.User, t.System = basic.user, basic.system
		t.SuspendCount = int(basic.suspendCount)
	}
	p.describeMore(name, t, r != success)
	if t.State != task.Ended && (p.halted || t.SuspendCount > 0) {
		t.State = task.Stopped
	}
	t.Queue, t.QueueSerial, t.QoS = "", 0, task.UnknownQoS
	if who, r := p.k.identity(name); r == success {
		q := p.queueOf(who)
		t.Queue, t.QueueSerial, t.QoS = q.label, q.serial, p.qos(who)
		h.foreseen.handle = p.ownDataOf(who)
	}
	return nil
}

// describeMore adds the name, and what the basic information should have told.
// A kernel that does not know this flavor is not asked again.
func (p *Process) describeMore(name port, t *task.Thread, all bool) {
	if p.noExtended {
		return
	}
	more, r := p.k.extended(name)
	if r != success {
		p.noExtended = r == invalidArgument && !p.k.isDead(name)
		return
	}
	t.Name, t.Priority = more.name, more.priority
	if all {
		t.State = state(more.runState)
		t.User, t.System = more.user, more.system
	}
}

// isHalted reports whether someone else has stopped the whole target, while we have
// not: by a hold on its task, which is what a debugger places, or by a signal. Of
// its threads most are told as waiting then (osfmk/kern/thread.c,
// retrieve_thread_basic_info).
func (p *Process) isHalted() bool {
	if info, r := p.k.taskBasic(p.task); r == success && info.suspendCount > 0 {
		return true
	}
	b, e := p.k.bsdInfo(p.pid)
	return e == ok && b.status == statusStopped
}

// state translates TH_STATE_* (osfmk/mach/thread_info.h).
func state(run int32) task.State {
	switch run {
	case 1: // TH_STATE_RUNNING
		return task.Running
	case 2: // TH_STATE_STOPPED
		return task.Stopped
	case 3: // TH_STATE_WAITING
		return task.Sleeping
	case 4: // TH_STATE_UNINTERRUPTIBLE
		return task.Uninterruptible
	case 5: // TH_STATE_HALTED
		return task.Ended
	}
	return task.StateUnknown
}
