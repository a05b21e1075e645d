//go:build linux && (amd64 || arm64)

package ptrace

import "stacksnap/task"

var _ task.Rester = (*Process)(nil)

// calmAfter is after how many looks at which nothing has run no copies are made any more
// of threads that ran before: each takes memory that may not be swapped.
const calmAfter = 100

// Rests implements [task.Rester]: a thread begins, ends, and maps memory as a thread of
// its process runs.
func (p *Process) Rests() bool {
	rests := p.rest()
	if !rests {
		p.calm = 0
		return false
	}
	if p.calm++; p.calm == calmAfter {
		p.rests.dropCopies()
	}
	return true
}

func (p *Process) rest() bool {
	if p.sealed != nil {
		return p.restUnseen()
	}
	for i := range p.threads.all {
		e := p.rests.of[p.threads.all[i].tid]
		if e == nil || !e.resting {
			return false
		}
		if runs, ok := p.rests.count(e); !ok || runs != e.at {
			return false
		}
	}
	return len(p.threads.all) > 0
}

// restUnseen is of threads of which only the state may be read: whether that is as it
// was. It is where they waited when they were described, and have not come to a
// processor since before that, nor was any time on one counted.
func (p *Process) restUnseen() bool {
	p.rests.start()
	all := len(p.threads.all) > 0
	for i := range p.threads.all {
		th := &p.threads.all[i]
		e := p.rests.find(p.threads.dir, th.tid)
		runs, ok := p.rests.countOf(e)
		if !ok {
			all = false
			continue
		}
		all = all && e.at == runs && e.ranAt == e.ran && !th.ready
		e.at, e.ranAt = runs, e.ran
	}
	return all
}

// dropCopies ends the copies of threads.
func (r *restTable) dropCopies() {
	for _, e := range r.of {
		e.copies.close()
		e.copies = nil
	}
}
