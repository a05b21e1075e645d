package cfi

import (
	"encoding/binary"
	"fmt"
)

// fde is a frame description entry: the rows for the code in [start, end).
type fde struct {
	cie        *cie
	off        int
	start, end uint64 // vmaddrs
	program    cursor
}

func (f *fde) contains(vmaddr uint64) bool { return f.start <= vmaddr && vmaddr < f.end }

// fdeAt parses the FDE at off.
func (s *section) fdeAt(off int) (*fde, error) {
	e, err := s.entry(off)
	if err != nil {
		return nil, err
	}
	if e.zero || e.cie == -1 {
		return nil, fmt.Errorf("%w: no FDE at %#x", errMalformed, off)
	}
	ci, err := s.cieAt(e.cie)
	if err != nil {
		return nil, err
	}
	return s.fde(e, ci)
}

// fde parses the FDE in e.
func (s *section) fde(e entry, ci *cie) (*fde, error) {
	f := &fde{cie: ci, off: e.off}
	c := &e.body
	var err error
	if f.start, f.end, err = ci.readRange(c); err != nil {
		return nil, fmt.Errorf("FDE at %#x: %w", e.off, err)
	}
	if ci.augmented {
		c.take(c.uleb())
	}
	if c.bad {
		return nil, fmt.Errorf("FDE at %#x: %w", e.off, errMalformed)
	}
	f.program = *c
	return f, nil
}

// readRange reads the range of code that an FDE covers. The length is encoded like
// the start, but absolute.
func (ci *cie) readRange(c *cursor) (start, end uint64, err error) {
	if start, err = c.encoded(ci.encoding, ci.pointerSize, bases{}); err != nil {
		return 0, 0, err
	}
	n, err := c.value(ci.encoding, ci.pointerSize)
	if err != nil {
		return 0, 0, err
	}
	return ci.code(start, n)
}

// quick reads the range that the FDE at off covers, and the offset of the next entry,
// if the FDE has the usual form: 32-bit DWARF, of this CIE, with addresses of a fixed
// size that are PC-relative or absolute. Otherwise next is 0. (The escape for 64-bit
// DWARF is a length beyond any section.)
func (ci *cie) quick(s *section, off int) (start, end uint64, next int) {
	b, size := s.Data[off:], ci.fixedSize
	if size == 0 || len(b) < 8+2*size {
		return 0, 0, 0
	}
	length, id := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if length < uint32(4+2*size) || uint64(length) > uint64(len(b)-4) {
		return 0, 0, 0
	}
	if s.eh {
		id = uint32(off) + 4 - id
	}
	if uint64(id) != uint64(ci.off) {
		return 0, 0, 0
	}
	start = fixed(b[8:8+size], ci.encoding)
	if ci.encoding&encPCRel != 0 {
		start += s.VMAddr + uint64(off) + 8
	}
	start, end, err := ci.code(start, fixed(b[8+size:8+2*size], ci.encoding))
	if err != nil {
		return 0, 0, 0
	}
	return start, end, off + 4 + int(length)
}

// code returns the range of n bytes from start. It fails if that wraps around.
func (ci *cie) code(start, n uint64) (uint64, uint64, error) {
	if ci.pointerSize == 4 {
		start, n = start&(1<<32-1), n&(1<<32-1)
	}
	if end := start + n; end >= start {
		return start, end, nil
	}
	return 0, 0, fmt.Errorf("%w: code from %#x of length %#x", errMalformed, start, n)
}
