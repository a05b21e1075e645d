package elf

import (
	"io"
	"sync"
)

const (
	namePage     = 4096
	maxNamePages = 64 // cached of one string table
)

// namePages reads a string table by pages and caches them, because the unwinder and
// then the symbolizer ask for the same names. It is safe for concurrent use.
type namePages struct {
	table io.ReaderAt

	mu    sync.Mutex
	pages map[int64][]byte // by page number; shorter than namePage at the table's end
}

// ReadAt implements [io.ReaderAt].
func (p *namePages) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, io.EOF
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n < len(b) {
		at := off + int64(n)
		page, err := p.page(at / namePage)
		if at%namePage >= int64(len(page)) {
			return n, err
		}
		n += copy(b[n:], page[at%namePage:])
	}
	return n, nil
}

// page returns a page; a shorter one comes with the reason, [io.EOF] at the table's
// end.
func (p *namePages) page(n int64) ([]byte, error) {
	if page, ok := p.pages[n]; ok {
		return page, io.EOF
	}
	page := make([]byte, namePage)
	got, err := p.table.ReadAt(page, n*namePage)
	if err != nil && err != io.EOF {
		return page[:got], err
	}
	if p.pages == nil || len(p.pages) == maxNamePages {
		p.pages = make(map[int64][]byte)
	}
	p.pages[n] = page[:got]
	return page[:got], io.EOF
}
