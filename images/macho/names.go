package macho

import (
	"bytes"
	"sync"
)

const (
	namePage = 4096
	// maxName is the maximum length of a symbol's name in bytes. Swift's and C++'s
	// reach some 10 KB.
	maxName = 64 << 10
	// maxNamePages is how many pages of a string table are kept. The shared cache's
	// table has hundreds of MB, and each image uses a few names of it.
	maxNamePages = 16 << 10
)

// nameTable is a string table that is read page by page, where it is used.
type nameTable struct {
	read func(p []byte, offset uint64) (int, error)
	place
	cost *cost

	mu    sync.Mutex
	pages map[uint64][]byte // by page number; shorter than namePage at the end of readable bytes
}

// at returns the name at an index. It reports false if the name is unreadable or has
// no end.
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

// page returns a page of the table, which it caches if the budget allows.
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
