package cpython

import (
	"errors"

	"stacksnap/task"
)

// The bounds of one reading. A target that lies may have the same memory read again and again.
const (
	pageSize     = 4 << 10
	maxPages     = 32 << 20 / pageSize  // that are known at a time
	maxPageReads = 512 << 20 / pageSize // of the target
	maxServed    = 2 << 30              // bytes of all reads, with readCost for each
	readCost     = 128
)

var errPages = errors.New("too much memory to read")

// pages is memory that is read page by page: each page once, as long as there are few.
type pages struct {
	m     task.Memory
	known map[task.Addr][]byte // what is readable of a page, from its start
	reads int                  // of pages that are left
	left  int64                // of maxServed
}

func newPages(m task.Memory) *pages {
	return &pages{m: m, known: map[task.Addr][]byte{}, reads: maxPageReads, left: maxServed}
}

// spent reports whether a bound was reached: nothing is read any more.
func (p *pages) spent() bool { return p.left <= 0 || p.reads <= 0 }

// ReadMemory implements [task.Memory].
func (p *pages) ReadMemory(b []byte, a task.Addr) (n int, err error) {
	for n < len(b) {
		at := a + task.Addr(n)
		if at < a {
			return n, &task.FaultError{Addr: at}
		}
		if p.spent() {
			return n, errPages
		}
		page := p.page(at &^ (pageSize - 1))
		offset := int(at % pageSize)
		if offset >= len(page) {
			return n, &task.FaultError{Addr: at}
		}
		copied := copy(b[n:], page[offset:])
		n += copied
		p.left -= int64(copied + readCost)
	}
	return n, nil
}

func (p *pages) page(at task.Addr) []byte {
	if page, ok := p.known[at]; ok {
		return page
	}
	if len(p.known) == maxPages {
		clear(p.known)
	}
	p.reads--
	page := make([]byte, pageSize)
	n, _ := p.m.ReadMemory(page, at)
	p.known[at] = page[:n]
	return page[:n]
}
