//go:build linux

package ptrace

import "stacksnap/task"

// dropCopiesAfter is after how many checks in a row at which nothing had run no copies are made any more
// of threads that ran before: each takes memory that may not be swapped.
const dropCopiesAfter = 100

// NothingRan implements [task.ActivityReader]: a thread begins, ends, and maps memory as a thread of
// its process runs.
func (p *Process) NothingRan() bool {
	rests := p.nothingRan()
	if !rests {
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

// nothingRanUnseen is of threads of which only the state may be read: whether that is as it
// was. It is where they waited when they were described, and have not come to a
// processor since before that, nor was any time on one counted.
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
