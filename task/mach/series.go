package mach

import (
	"errors"
	"runtime"
	"time"

	"stacksnap/task"
)

// errReplaced is the error of a thread whose stack was copied from a mapping that turned out not
// to show its stack any more.
var errReplaced = errors.New("the memory of the stack was replaced while the thread was sampled")

// use is one copy made from a mapping in the last stop.
type use struct {
	thread   *task.Thread
	id       task.ThreadID
	mapping  *mapping
	from, to task.Addr
}

// BeginSeries implements [task.Pacer].
func (p *Process) BeginSeries(interval time.Duration) {
	p.prompt = promptness{}
	if p.closed {
		return
	}
	p.prompt = promptFor(interval)
	p.sharing.begin()
}

// EndSeries implements [task.Pacer]. Nothing of the target stays mapped.
func (p *Process) EndSeries() {
	p.sharing.on, p.sharing.used = false, p.sharing.used[:0]
	for i := range p.held {
		p.leave(&p.held[i])
	}
	p.unmapLeft()
	p.prompt = promptness{}
}

// Confirm implements [task.Pacer]. For each copy that was made from a mapping, it asks the
// kernel whether the mapping still shows the memory of the thread's stack. It did when the
// mapping was made, and we have held that memory since, so that its identity cannot have passed
// to other memory. So if it does now, it did during the stop.
func (p *Process) Confirm() {
	for i := range p.sharing.used {
		u := &p.sharing.used[i]
		if !p.still(u.mapping, u.from, u.to) {
			p.takeBack(u)
		}
		*u = use{}
	}
	p.sharing.used = p.sharing.used[:0]
	if !p.stopped {
		p.unmapLeft()
		p.mapStacks()
	}
}

// takeBack drops a mapping that no longer shows the thread's stack. If the thread has ended
// since, its stack is gone for that reason alone.
func (p *Process) takeBack(u *use) {
	h := p.lookup(u.id)
	if h != nil && h.stack.mapping == u.mapping {
		p.leave(h)
	}
	if h == nil || p.k.isDead(h.port) {
		return
	}
	u.thread.Stacks, u.thread.Err = u.thread.Stacks[:0], errReplaced
}

// promptness is the request to the scheduler by THREAD_TIME_CONSTRAINT_POLICY
// (osfmk/mach/thread_policy.h): computation in any period, done within constraint. Zero: no
// request.
type promptness struct {
	period, computation, constraint time.Duration
	on                              bool // in effect now, for the thread to which the goroutine is locked
}

// A thread under a time constraint runs before nearly everything else. So the constraint is set
// only while the thread waits for a capture and makes it, and it claims a tenth of the interval.
// The kernel refuses a computation of less than 50 µs or more than 50 ms
// (osfmk/kern/thread_policy.c, thread_policy_set_internal; sched_prim.c), and raises one that is
// less than half of the constraint.
const (
	shortestPrompt = time.Millisecond // interval
	longestPrompt  = time.Second
	promptShare    = 10

	minComputation = 100 * time.Microsecond
	maxComputation = time.Millisecond
)

func promptFor(interval time.Duration) promptness {
	if interval < shortestPrompt || interval > longestPrompt {
		return promptness{}
	}
	computation := min(max(interval/promptShare, minComputation), maxComputation)
	return promptness{period: interval, computation: computation, constraint: 2 * computation}
}

// Prompt implements [task.Pacer]. After a refusal it is not tried again. The previous policy is
// not read: it was the standard one, with which every thread begins.
func (p *Process) Prompt() {
	if p.prompt.period == 0 || p.prompt.on {
		return
	}
	runtime.LockOSThread()
	if p.k.timeConstraint(p.prompt.period, p.prompt.computation, p.prompt.constraint) != success {
		p.prompt = promptness{}
		runtime.UnlockOSThread()
		return
	}
	p.prompt.on = true
}

// Relax implements [task.Pacer].
func (p *Process) Relax() {
	if !p.prompt.on {
		return
	}
	p.prompt.on = false
	if p.k.standardPolicy() != success {
		p.k.standardPolicy()
	}
	runtime.UnlockOSThread()
}
