package mach

import (
	"errors"
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
