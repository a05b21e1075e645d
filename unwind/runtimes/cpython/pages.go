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
	spare [][]byte             // for pages that are not read yet
}

func newPages(m task.Memory) *pages {
	return &pages{m: m, known: map[task.Addr][]byte{}, reads: maxPageReads, left: maxServed}
}

// maxSpare is how many pages are kept for the next reading.
const maxSpare = 1 << 20 / pageSize

// newPages returns pages that are read into the memory of those of the last call, which must not be
// in use any more.
func (p *Instance) newPages(m task.Memory) *pages {
	next := newPages(m)
	if last := p.pages; last != nil {
		next.spare = last.spare
		for _, page := range last.known {
			if len(next.spare) < maxSpare {
				next.spare = append(next.spare, page)
			}
		}
		last.known, last.spare = nil, nil
	}
	p.pages = next
	return next
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
	page := p.room()
	n, _ := p.m.ReadMemory(page, at)
	p.known[at] = page[:n]
	return page[:n]
}

// room returns where a page is read to.
func (p *pages) room() []byte {
	last := len(p.spare) - 1
	if last < 0 {
		return make([]byte, pageSize)
	}
	page := p.spare[last][:pageSize]
	p.spare = p.spare[:last]
	return page
}
