package dyld

import "stacksnap/task"

const (
	pathPage = 4 << 10
	// maxPathPages is how many pages with paths are kept.
	maxPathPages = 1 << 10
)

// pages is memory that is read and cached by whole pages. dyld stores the paths of
// images next to each other, so a few reads get all of them.
type pages struct {
	mem  task.Memory
	kept map[task.Addr][]byte // shorter than a page at the end of readable memory
}

// forget empties the cache.
func (m *pages) forget() { clear(m.kept) }

// ReadMemory implements [task.Memory].
func (m *pages) ReadMemory(p []byte, a task.Addr) (n int, err error) {
	for n < len(p) {
		at := a + task.Addr(n)
		page, skip := m.page(at&^(pathPage-1)), int(at%pathPage)
		if skip >= len(page) {
			return n, &task.FaultError{Addr: at}
		}
		n += copy(p[n:], page[skip:])
	}
	return n, nil
}

func (m *pages) page(a task.Addr) []byte {
	if p, ok := m.kept[a]; ok {
		return p
	}
	if m.kept == nil || len(m.kept) >= maxPathPages {
		m.kept = map[task.Addr][]byte{}
	}
	p := make([]byte, pathPage)
	n, _ := m.mem.ReadMemory(p, a)
	m.kept[a] = p[:n]
	return p[:n]
}
