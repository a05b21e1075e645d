package objc

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

const (
	pageSize = 4096
	maxPages = 4096 // cached at once while the lists are read
	maxReads = 1 << 16
)

// memory reads an image by pages. Related metadata is adjacent, and many small reads
// of another process would take long.
type memory struct {
	read  func(p []byte, vmaddr uint64) int
	take  func(n uint64) bool
	pages map[uint64][]byte // by page number; shorter than pageSize at the end of readable memory
	reads int               // pages read
}

// full reads all of p. It reports false if it cannot.
func (m *memory) full(p []byte, vmaddr uint64) bool {
	for len(p) > 0 {
		page := m.page(vmaddr / pageSize)
		if vmaddr%pageSize >= uint64(len(page)) {
			return false
		}
		n := copy(p, page[vmaddr%pageSize:])
		p, vmaddr = p[n:], vmaddr+uint64(n)
	}
	return true
}

func (m *memory) page(n uint64) []byte {
	if p, ok := m.pages[n]; ok {
		return p
	}
	if m.pages == nil || len(m.pages) >= maxPages {
		m.pages = make(map[uint64][]byte)
	}
	var p []byte
	if m.reads++; m.reads <= maxReads && m.take(pageSize) {
		p = make([]byte, pageSize)
		p = p[:m.read(p, n*pageSize)]
	}
	m.pages[n] = p
	return p
}

// atMost reads as much of p as it can, for [ReadName].
func (m *memory) atMost(p []byte, vmaddr uint64) int {
	page := m.page(vmaddr / pageSize)
	if vmaddr%pageSize >= uint64(len(page)) {
		return 0
	}
	return copy(p, page[vmaddr%pageSize:])
}

func (m *memory) u32(vmaddr uint64) (uint32, bool) {
	var b [4]byte
	ok := m.full(b[:], vmaddr)
	return binary.LittleEndian.Uint32(b[:]), ok
}

// ReadName reads a NUL-terminated name, such as a selector. It reports false if the
// bytes cannot be a name. read returns how many bytes of p it could read.
func ReadName(read func(p []byte, vmaddr uint64) int, vmaddr uint64) (string, bool) {
	var name []byte
	var piece [256]byte
	for len(name) < maxName {
		// Not across a page: the next page may be unreadable.
		p := piece[:min(len(piece), pageSize-int(vmaddr%pageSize))]
		n := read(p, vmaddr)
		if i := bytes.IndexByte(p[:n], 0); i >= 0 {
			name = append(name, p[:i]...)
			return string(name), isName(name)
		}
		if n < len(p) {
			return "", false
		}
		name = append(name, p...)
		vmaddr += uint64(n)
	}
	return "", false
}

// isName reports whether b may be a name, rather than arbitrary memory.
func isName(b []byte) bool {
	for _, r := range string(b) {
		if r == utf8.RuneError || r == ' ' || !unicode.IsPrint(r) {
			return false
		}
	}
	return len(b) > 0
}
