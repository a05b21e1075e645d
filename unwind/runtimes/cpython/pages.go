package cpython

import (
	"errors"

	"stacksnap/task"
)

const (
	pageSize = 4 << 10
	maxPages = 64 << 20 / pageSize // that are kept of one reading
)

var errPages = errors.New("too much memory to read")

// pages is memory of which each page is read once.
type pages struct {
	m     task.Memory
	known map[task.Addr][]byte // what is readable of a page, from its start
}

func newPages(m task.Memory) *pages { return &pages{m, map[task.Addr][]byte{}} }

// ReadMemory implements [task.Memory].
func (p *pages) ReadMemory(b []byte, a task.Addr) (n int, err error) {
	for n < len(b) {
		at := a + task.Addr(n)
		if at < a {
			return n, &task.FaultError{Addr: at}
		}
		page, err := p.page(at &^ (pageSize - 1))
		if err != nil {
			return n, err
		}
		offset := int(at % pageSize)
		if offset >= len(page) {
			return n, &task.FaultError{Addr: at}
		}
		n += copy(b[n:], page[offset:])
	}
	return n, nil
}

func (p *pages) page(at task.Addr) ([]byte, error) {
	if page, ok := p.known[at]; ok {
		return page, nil
	}
	if len(p.known) == maxPages {
		return nil, errPages
	}
	page := make([]byte, pageSize)
	n, _ := p.m.ReadMemory(page, at)
	p.known[at] = page[:n]
	return page[:n], nil
}
