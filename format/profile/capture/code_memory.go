package capture

import (
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// codeMemory is the memory that a walk reads code from. It reads the code of files in use from
// the files: by the time a stack is walked, its library may have been replaced by another one,
// or unmapped.
type codeMemory struct {
	live    task.Memory
	in      *images.Map // nil: nothing is known
	unloads bool        // read images that may be unloaded with care, see [object.Placed]
	pages   [codePages]codePage
}

// A walk needs a few bytes around each pc, so a page of a file is read only once.
const (
	codePages    = 16
	codePageSize = 4 << 10
)

// codePage is a part of a file's code. Its address determines the slot in which it is kept.
type codePage struct {
	of    *images.Image // nil: none
	start uint64        // vmaddr of the first byte
	bytes []byte        // as many as the file has
}

// ReadMemory implements [task.Memory].
func (m *codeMemory) ReadMemory(p []byte, a task.Addr) (int, error) {
	im, found := m.image(a)
	if found && m.unloads && im.Code != nil {
		return im.Code.ReadMemory(p, a)
	}
	n := 0
	if found {
		n = m.readFile(im, p, a)
	}
	if n == len(p) {
		return n, nil
	}
	more, err := m.live.ReadMemory(p[n:], a+task.Addr(n))
	return n + more, err
}

func (m *codeMemory) image(a task.Addr) (*images.Image, bool) {
	if m.in == nil {
		return nil, false
	}
	return m.in.Find(a)
}

// readFile reads what the image's file has of the code at a, and returns the number of bytes.
func (m *codeMemory) readFile(im *images.Image, p []byte, a task.Addr) (n int) {
	f, ok := im.File.(object.CodeReader)
	if !ok {
		return 0
	}
	vmaddr := im.VMAddr(a)
	for len(p) < codePageSize && n < len(p) {
		at := vmaddr + uint64(n)
		page := m.page(im, f, at)
		have := copy(p[n:], page.bytes[min(at-page.start, uint64(len(page.bytes))):])
		if have == 0 {
			break
		}
		n += have
	}
	if n == len(p) {
		return n
	}
	return n + f.ReadCode(p[n:], vmaddr+uint64(n)) // more than a page, or from a page that begins with something else
}

// page returns the page that contains vmaddr.
func (m *codeMemory) page(im *images.Image, f object.CodeReader, vmaddr uint64) *codePage {
	start := vmaddr &^ (codePageSize - 1)
	page := &m.pages[start/codePageSize%codePages]
	if page.of == im && page.start == start {
		return page
	}
	if page.bytes == nil {
		page.bytes = make([]byte, codePageSize)
	}
	page.of, page.start, page.bytes = im, start, page.bytes[:codePageSize]
	page.bytes = page.bytes[:f.ReadCode(page.bytes, start)]
	return page
}
