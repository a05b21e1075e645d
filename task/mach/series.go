package mach

import (
	"errors"
	"runtime"
	"time"

	"stacksnap/task"
)

// errReplaced stands in for a stack that was copied from a mapping which turned
// out not to be of the thread's stack any more.
var errReplaced = errors.New("the memory of the stack was replaced while the thread was sampled")

// use is one copy that was made from a mapping in the last stop.
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

// EndSeries implements [task.Pacer]: nothing of the target stays mapped.
func (p *Process) EndSeries() {
	p.sharing.on, p.sharing.used = false, p.sharing.used[:0]
	for i := range p.held {
		p.leave(&p.held[i])
	}
	p.unmapLeft()
	p.prompt = promptness{}
}

// Confirm implements [task.Pacer]. Where a mapping served for a copy, the kernel
// is asked whether it still shows the memory that is the thread's stack. It was
// the same when the mapping was made, and we hold that memory ever since, so that
// its name cannot have passed to other memory; then it was the same in the stop.
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

// takeBack drops a mapping that is no longer of the thread's stack. The stack of a
// thread that has ended since is gone by that alone.
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

// promptness is what is asked for of the scheduler, by
// THREAD_TIME_CONSTRAINT_POLICY (osfmk/mach/thread_policy.h): computation in any
// period, done within constraint. Zero: nothing.
type promptness struct {
	period, computation, constraint time.Duration
	on                              bool // now, for the thread that the goroutine is locked to
}

// A thread under a time constraint runs before nearly everything else, so it is
// one only while it waits for a capture and makes it, and tells the kernel that
// it needs a tenth of the interval. The kernel refuses a computation of less than
// 50 µs or more than 50 ms (osfmk/kern/thread_policy.c,
// thread_policy_set_internal; sched_prim.c), and raises one that is less than
// half of the constraint.
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

// Prompt implements [task.Pacer]. Once it is refused it is not asked for again.
// What the policy was is never asked: it was the standard one, which every thread
// begins with.
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
