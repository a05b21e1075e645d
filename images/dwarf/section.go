package dwarf

import (
	"errors"
	"io"
)

// Section is the bytes of one section. [bytes.Reader] and [io.SectionReader]
// implement it; [Bytes] is read without copying.
type Section interface {
	io.ReaderAt
	Size() int64
}

// Bytes is a section in memory.
type Bytes []byte

// ReadAt implements [io.ReaderAt].
func (b Bytes) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size implements [Section].
func (b Bytes) Size() int64 { return int64(len(b)) }

var (
	errNone  = errors.New("no such section")
	errEnd   = errors.New("it ends within a value")
	errLarge = errors.New("a value is too large")
)

// The sections that are used; their names are without a file format's prefix.
const (
	secInfo = iota
	secAbbrev
	secStr
	secLine
	secLineStr
	secRanges
	secRngLists
	secAddr
	secStrOffsets
	secARanges
	secCUIndex
	numSections
)

var sectionNames = [numSections]string{
	"info", "abbrev", "str", "line", "line_str", "ranges", "rnglists", "addr", "str_offsets", "aranges", "cu_index",
}

// section returns a section, opening it on first use.
func (d *Data) section(which int) *section {
	s := &d.sections[which]
	if s.opened {
		return s
	}
	s.opened = true
	name := sectionNames[which]
	if which != secCUIndex {
		name += d.suffix
	}
	r := d.open(name)
	if r == nil {
		return s
	}
	s.r, s.size = r, uint64(max(r.Size(), 0))
	s.memory, _ = r.(Bytes)
	return s
}

type section struct {
	opened bool
	r      Section // nil: there is none
	size   uint64
	memory []byte // the whole section; nil if it is not in memory
}

// window returns n bytes at off, in buffer if the section is not in memory.
func (s *section) window(buffer []byte, off, n uint64) ([]byte, error) {
	if s.memory != nil {
		return s.memory[off : off+n], nil
	}
	if uint64(cap(buffer)) < n {
		buffer = make([]byte, n)
	}
	buffer = buffer[:n]
	if got, err := s.r.ReadAt(buffer, int64(off)); uint64(got) < n {
		return nil, err
	}
	return buffer, nil
}
