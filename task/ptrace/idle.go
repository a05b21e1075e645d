//go:build linux

package ptrace

import "stacksnap/task"

// dropCopiesAfter is the number of consecutive checks without a run after which the kernel's
// copies of threads are dropped: each takes memory that cannot be swapped.
const dropCopiesAfter = 100

// NothingRan implements [task.ActivityReader]. If no thread has run, none has begun or ended,
// and nothing was mapped.
func (p *Process) NothingRan() bool {
	if !p.nothingRan() {
		p.idleChecks = 0
		return false
	}
	if p.idleChecks++; p.idleChecks == dropCopiesAfter {
		p.Files.CloseKept()
	}
	return true
}

func (p *Process) nothingRan() bool {
	if p.Sealed() != nil {
		return p.nothingRanUnseen()
	}
	for i := range p.threads.all {
		if !p.Files.StillIdle(p.threads.all[i].tid) {
			return false
		}
	}
	return len(p.threads.all) > 0
}

// nothingRanUnseen is nothingRan for a process whose threads' states alone may be read. No thread has run if each waited when it was described and has neither been scheduled in
// nor used any CPU time since.
func (p *Process) nothingRanUnseen() bool {
	all := len(p.threads.all) > 0
	for i := range p.threads.all {
		th := &p.threads.all[i]
		all = p.Files.SameCounts(th.tid) && !th.ready && all
	}
	return all
}

// NotRun implements [task.ActivityReader].
func (p *Process) NotRun(id task.ThreadID, t *task.Thread) bool {
	before := t.State
	idle := p.Process.NotRun(id, t)
	if t.State != before {
		p.noteState(id, t.State)
	}
	return idle
}
