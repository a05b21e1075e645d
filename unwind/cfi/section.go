// Package cfi reads DWARF call frame information: the sections .eh_frame, __eh_frame,
// .debug_frame and __debug_frame, which say for every instruction where the caller's
// registers are (DWARF 5, 6.4; Linux Standard Base 5, 10.6).
package cfi

import (
	"errors"
	"fmt"

	"stacksnap/images/object"
)

// errMalformed is wrapped by errors about a structure that is cut short or
// contradicts itself.
var errMalformed = errors.New("malformed call frame information")

// section is the frame section of one file.
type section struct {
	object.Section
	eh          bool // has the layout of .eh_frame, not of .debug_frame
	pointerSize int
	// swapped: registers 4 and 5 are exchanged, as in i386's __eh_frame on Darwin
	// (esp is 5 and ebp is 4 there).
	swapped bool
}

// entry is a CIE or an FDE with only its header parsed.
type entry struct {
	off  int    // offset in the section
	body cursor // from after the id to the entry's end
	next int    // offset of the following entry
	cie  int    // offset of an FDE's CIE, -1 for a CIE
	zero bool   // a terminator, with no body
}

// entry parses the header of the entry at off.
func (s *section) entry(off int) (e entry, err error) {
	err = s.read(&e, off)
	return e, err
}

// read is like entry, but does not copy the result, for reading many entries.
func (s *section) read(e *entry, off int) error {
	*e = entry{}
	if off < 0 || off >= len(s.Data) {
		return fmt.Errorf("%w: no entry at %#x", errMalformed, off)
	}
	c := &e.body
	*c = cursor{data: s.Data, pos: off, addr: s.VMAddr}
	length, wide := uint64(c.u32()), false
	if length == 0xffffffff {
		length, wide = c.u64(), true
	}
	if length == 0 && !c.bad {
		e.off, e.next, e.zero = off, c.pos, true
		return nil
	}
	idAt := c.pos
	if c.take(length); c.bad {
		return fmt.Errorf("%w: entry at %#x runs out of the section", errMalformed, off)
	}
	e.off, e.next = off, c.pos
	c.data, c.pos = s.Data[:c.pos], idAt
	if e.cie = s.cieOffset(c, wide); c.bad {
		return fmt.Errorf("%w: entry at %#x is too short", errMalformed, off)
	}
	return nil
}

// cieOffset reads an entry's id and returns the offset of its CIE, -1 for a CIE
// itself. In .eh_frame the id has 4 bytes, is 0 in a CIE, and is a distance back from
// itself; in .debug_frame it is an offset in the section, or all ones.
func (s *section) cieOffset(c *cursor, wide bool) int {
	at := c.pos
	if s.eh {
		id := uint64(c.u32())
		if id == 0 {
			return -1
		}
		return bounded(uint64(at)-id, len(s.Data))
	}
	if wide {
		id := c.u64()
		if id == 1<<64-1 {
			return -1
		}
		return bounded(id, len(s.Data))
	}
	id := c.u32()
	if id == 1<<32-1 {
		return -1
	}
	return bounded(uint64(id), len(s.Data))
}

// bounded returns v, or n if v is not below n.
func bounded(v uint64, n int) int {
	if v >= uint64(n) {
		return n
	}
	return int(v)
}
