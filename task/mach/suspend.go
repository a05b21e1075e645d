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

// Suspend stops the task as a whole. The hold is released by resume, by Close,
// and by the kernel when this process ends, however it does.
func (p *Process) Suspend(task.StopOptions) (resume func() error, err error) {
	if p.stopped {
		return nil, errStopped
	}
	p.reserve(len(p.held))
	p.patience = maxPatience
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

// undoSuspend resumes after a task_suspend that failed only in handing us the
// right which stands for the hold: the hold itself was placed before
// (osfmk/kern/task.c, task_suspend). Any other answer means that there is none,
// and then a resume would release somebody else's.
func (p *Process) undoSuspend(r Return) {
	if r != resourceShortage && r != noSpace {
		p.gate.Leave()
		return
	}
	p.stopped = true
	_ = p.letRun()
}

// letRun is the resume function: it releases the hold, once, and gives back
// what was left over from the stop. A refusal is not believed at once, as too
// much hangs on it.
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

// runs ends a stop: the hold is no longer ours.
func (p *Process) runs() {
	p.stopped = false
	p.gate.Leave()
	p.settle()
}

// SetLimits implements [task.ThreadStopper]. The time for copies has no limit.
func (p *Process) SetLimits(l task.Limits) {
	if l.Gate != nil {
		p.gate = l.Gate
	}
}

// LastStop implements [task.ThreadStopper]: what is given back after a stop takes time,
// too, but not the target's.
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
