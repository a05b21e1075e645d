package mach

import (
	"stacksnap/task"
)

// Describe fills the thread's name, queue, state, CPU times and suspend count.
// Each of the kernel's flavors of information that is refused costs only the
// facts in it. The state is that of the moment, so it is asked for while the
// target runs.
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	name, found := p.find(id)
	if !found {
		return task.ErrThreadGone
	}
	t.ID = id
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
	t.Queue = p.queueLabel(name)
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
	t.Name = more.name
	if all {
		t.State = state(more.runState)
		t.User, t.System = more.user, more.system
	}
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
