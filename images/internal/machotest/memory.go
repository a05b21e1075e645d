// Package machotest makes Mach-O files and the memory of processes that have loaded
// them, for tests.
package machotest

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"sort"
	"testing"

	"stacksnap/task"
)

// Memory is a process's memory made of pieces. It is not safe for concurrent use.
type Memory struct {
	pieces []piece // by address
	Reads  int     // calls of ReadMemory
	// OnRead, if not nil, is called before each read.
	OnRead func(a task.Addr, n int)
}

type piece struct {
	start task.Addr
	data  []byte
}

// Add maps data at a, replacing what was there.
func (m *Memory) Add(a task.Addr, data []byte) {
	m.pieces = append(m.pieces, piece{a, data})
	sort.SliceStable(m.pieces, func(i, j int) bool { return m.pieces[i].start < m.pieces[j].start })
}

// Remove removes the piece that starts at a.
func (m *Memory) Remove(a task.Addr) {
	for i, p := range m.pieces {
		if p.start == a {
			m.pieces = append(m.pieces[:i:i], m.pieces[i+1:]...)
			return
		}
	}
}

// at returns the mapped bytes from a on.
func (m *Memory) at(a task.Addr) []byte {
	for i := len(m.pieces) - 1; i >= 0; i-- {
		if p := m.pieces[i]; a >= p.start && uint64(a-p.start) < uint64(len(p.data)) {
			return p.data[a-p.start:]
		}
	}
	return nil
}

// ReadMemory implements [task.Memory].
func (m *Memory) ReadMemory(p []byte, a task.Addr) (int, error) {
	m.Reads++
	if m.OnRead != nil {
		m.OnRead(a, len(p))
	}
	n := 0
	for n < len(p) {
		b := m.at(a + task.Addr(n))
		if b == nil {
			return n, &task.FaultError{Addr: a + task.Addr(n)}
		}
		n += copy(p[n:], b)
	}
	return n, nil
}

// Put overwrites mapped bytes with a little-endian number of size 4 or 8.
func (m *Memory) Put(a task.Addr, size int, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(m.at(a), b[:size])
}

// Map maps the segments of a thin Mach-O file as a loader does, with its header at
// load. It parses the file with debug/macho, so that the reader under test does not
// check itself.
func (m *Memory) Map(t testing.TB, file []byte, load task.Addr) (slide uint64) {
	t.Helper()
	f, err := macho.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text := f.Segment("__TEXT")
	slide = uint64(load) - text.Addr
	for _, l := range f.Loads {
		s, ok := l.(*macho.Segment)
		if !ok || s.Prot == 0 || s.Memsz == 0 {
			continue
		}
		data := make([]byte, s.Memsz)
		copy(data, file[s.Offset:s.Offset+s.Filesz])
		m.Add(task.Addr(s.Addr+slide), data)
	}
	return slide
}

// PutByte overwrites one mapped byte.
func (m *Memory) PutByte(a task.Addr, v byte) { m.at(a)[0] = v }
