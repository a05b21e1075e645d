package macho

import (
	"bytes"
	"sync"
)

const (
	namePage = 4096
	// maxName bounds a symbol's name. Swift's and C++'s reach some 10 KB.
	maxName = 64 << 10
	// maxNamePages bounds what is kept of a string table. That of the shared cache
	// has hundreds of MB, of which each image uses a few names.
	maxNamePages = 16 << 10
)

// nameTable is a string table of which only the pages are read that are used.
type nameTable struct {
	read func(p []byte, offset uint64) (int, error)
	place
	cost *cost

	mu    sync.Mutex
	pages map[uint64][]byte // by number; shorter than namePage where reading ended
}

// at returns the name at an index, false when it cannot be read to its end.
func (t *nameTable) at(strx uint32) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var name []byte
	for at := uint64(strx); at < t.size && len(name) < maxName; {
		page := t.page(at / namePage)
		if at%namePage >= uint64(len(page)) {
			return "", false
		}
		page = page[at%namePage:]
		if i := bytes.IndexByte(page, 0); i >= 0 {
			return string(append(name, page[:i]...)), true
		}
		name = append(name, page...)
		at += uint64(len(page))
	}
	return "", false
}

// page returns a page of the table, read at most once unless nothing of it can
// be read, or kept.
func (t *nameTable) page(n uint64) []byte {
	if p, ok := t.pages[n]; ok {
		return p
	}
	if t.pages == nil || len(t.pages) >= maxNamePages {
		t.cost.drop(uint64(len(t.pages)) * namePage)
		t.pages = make(map[uint64][]byte)
	}
	p := make([]byte, min(namePage, t.size-n*namePage))
	got, _ := t.read(p, t.offset+n*namePage)
	if got > 0 && t.cost.keep(namePage) {
		t.pages[n] = p[:got]
	}
	return p[:got]
}
