//go:build linux

package ptrace

import (
	"time"

	"stacksnap/task"
)

// resume releases every thread once. A thread that still has not stopped stays attached, because
// only a stopped thread can be released. Each later call checks it again.
func (p *Process) resume() error {
	if !p.suspended {
		return nil
	}
	p.suspended, p.copying.how = false, readNothing
	p.Mem.LimitUntil(time.Time{})
	for i := range p.threads.all {
		p.release(&p.threads.all[i])
	}
	p.leaveGate()
	p.priority.endRealtime()
	p.reapAll()
	for i := range p.threads.all {
		if th := &p.threads.all[i]; !th.phase.attached() {
			th.phase = listed
		}
	}
	p.widen()
	return nil
}

// release detaches from a thread that has stopped, perhaps late.
func (p *Process) release(th *thread) {
	if th.phase == seized {
		p.checkThread(th)
	}
	if th.phase != stopped {
		return
	}
	if detach(th.tid, th.signal) == 0 {
		th.phase = gone
		return
	}
	th.phase = dying // ESRCH: a SIGKILL, which ends a stop, came first
}

// reapAll waits for the threads that were killed while they were stopped. Only when they are
// reaped does their process end and its parent learn of it.
func (p *Process) reapAll() {
	began := time.Now()
	for wait := 20 * time.Microsecond; p.threads.count(dying) > 0; wait = min(2*wait, time.Millisecond) {
		for i := range p.threads.all {
			if th := &p.threads.all[i]; th.phase == dying {
				p.checkDying(th)
			}
		}
		if p.threads.count(dying) == 0 || time.Since(began) > reapTimeout {
			return
		}
		pause(wait)
	}
}

// checkDying reaps a thread if it has ended by now. If an exec has given its id to another
// thread, that thread is attached, and is ordered to stop and then released.
func (p *Process) checkDying(th *thread) {
	switch errno := checkStop(th.tid, &p.info); {
	case errno != 0:
		th.phase = gone
	case p.info.pid == 0:
		interrupt(th.tid)
	case p.info.ended():
		p.reap(th)
	default:
		th.setStopped(&p.info)
	}
	if th.phase == stopped {
		p.release(th)
	}
}

// awaitGroupStops waits until the threads that someone else had stopped are stopped again. Each
// returns to that stop by itself when it is released. It executes nothing of the program, but
// needs a processor for it, and until then the system calls it running. A thread that was
// continued meanwhile also becomes running, and may be asleep by now.
func (p *Process) awaitGroupStops() {
	began := time.Now()
	for i := range p.threads.all {
		th := &p.threads.all[i]
		for th.groupStopped && p.isIn(th.tid, task.Running) && time.Since(began) < groupStopTimeout {
			pause(time.Millisecond)
		}
	}
}

// DetachLate implements [task.ThreadStopper].
func (p *Process) DetachLate() (left int) {
	if p.check() != nil || p.suspended {
		return 0
	}
	for i := range p.threads.all {
		th := &p.threads.all[i]
		if !th.phase.attached() {
			continue
		}
		p.letGoNow(th)
		if th.phase.attached() {
			left++
		} else {
			th.phase = listed
		}
	}
	return left
}

// letGoNow detaches from a thread that was given up, if it has stopped or ended since.
func (p *Process) letGoNow(th *thread) {
	if th.phase == dying {
		p.checkDying(th)
		return
	}
	interrupt(th.tid) // an exec may have moved it to this id, see checkAll
	p.release(th)
}

// settle detaches from threads that had not stopped or ended when an earlier suspension ended.
func (p *Process) settle() {
	for i := range p.threads.all {
		th := &p.threads.all[i]
		switch th.phase {
		case seized, stopped:
			interrupt(th.tid) // an exec may have moved it to this id, see checkAll
			p.watch(th)
			p.release(th)
		case dying:
			p.checkDying(th)
		}
		if th.phase == gone {
			th.phase = listed
		}
	}
}
