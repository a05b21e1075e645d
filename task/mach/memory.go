package mach

import "stacksnap/task"

// smallestPage is a divisor of every target's page size.
const smallestPage = 4 << 10

// memory is a Process as a task.Memory, so that Memory does not allocate.
type memory Process

// Memory reads the live target. While the target is stopped, a *[task.FaultError] is valid only
// until the next read.
func (p *Process) Memory() task.Memory { return (*memory)(p) }

// ReadMemory reads len(b) bytes, or those before the first page that cannot be read.
func (m *memory) ReadMemory(b []byte, a task.Addr) (int, error) {
	p := (*Process)(m)
	want := b
	if above := -uint64(a); above != 0 && uint64(len(b)) > above {
		want = b[:above] // to the end of the address space
	}
	n, r := p.readPrefix(want, a)
	switch {
	case n == len(b):
		return n, nil
	case r != success && p.taskGone(r):
		return n, p.exited
	}
	return n, p.faultAt(a+task.Addr(n), r)
}

func (p *Process) faultAt(a task.Addr, r Return) error {
	f := &p.fault
	if !p.stopped {
		f = new(task.FaultError)
	}
	*f = task.FaultError{Addr: a}
	if r != success && (r < 256 || !p.stopped) { // the text of a larger number would have to be allocated
		f.Err = r
	}
	return f
}

// readPrefix reads as much of b as is readable from a on. The kernel copies all of a range or
// nothing, so when a read fails, ever smaller parts that end at page boundaries are tried, down
// to one page. r is the last error.
func (p *Process) readPrefix(b []byte, a task.Addr) (n int, r Return) {
	part := len(b)
	for n < len(b) {
		part = min(part, len(b)-n)
		got, ret := p.k.read(p.task, b[n:n+part], a+task.Addr(n))
		if ret == success && got > 0 {
			n += min(got, part)
			continue
		}
		r = ret
		if ret.ended() {
			return n, r
		}
		if part = p.smaller(a+task.Addr(n), part); part == 0 {
			return n, r
		}
	}
	return n, success
}

// smaller returns the length of about half of a part that starts at a, so that it ends at a page
// boundary; 0 for a part that lies in one page.
func (p *Process) smaller(a task.Addr, part int) int {
	page := p.pageSize()
	toBoundary := int(page - uint64(a)%page)
	if part <= toBoundary {
		return 0
	}
	half := task.Addr(part / 2)
	end := (a + half) &^ task.Addr(page-1)
	if end <= a {
		return toBoundary
	}
	return int(end - a)
}

func (p *Process) pageSize() uint64 {
	if n := uint64(p.info.PageSize); n >= smallestPage && n&(n-1) == 0 {
		return n
	}
	return smallestPage
}
