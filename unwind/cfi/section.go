// Package cfi reads DWARF call frame information: the rows of .eh_frame,
// __eh_frame, .debug_frame and __debug_frame that tell, for every instruction,
// where the caller's registers are (DWARF 5, 6.4; Linux Standard Base 5, 10.6).
package cfi

import (
	"errors"
	"fmt"

	"stacksnap/images/object"
)

// errMalformed says that a structure ends before it is complete.
var errMalformed = errors.New("malformed call frame information")

// section is the frame section of one file.
type section struct {
	object.Section
	eh          bool // the layout of .eh_frame, not that of .debug_frame
	pointerSize int
	// swapped: registers 4 and 5 have changed places, as in i386's __eh_frame on
	// Darwin (esp is 5 and ebp is 4 there).
	swapped bool
}

// entry is a CIE or an FDE of which only the frame has been read.
type entry struct {
	off  int    // in the section
	body cursor // behind the id, to the entry's end
	next int    // offset of the entry that follows
	cie  int    // offset of an FDE's CIE, -1 for a CIE
	zero bool   // a terminator, with no body
}

// entry reads the frame of the entry at off.
func (s *section) entry(off int) (e entry, err error) {
	err = s.read(&e, off)
	return e, err
}

// read does so for who reads many, and need not have each copied.
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

// cieOffset reads an entry's id: where its CIE is, -1 for a CIE itself. In
// .eh_frame the id has 4 bytes always, is 0 in a CIE and counts back from its
// own place; in .debug_frame it is an offset in the section, or all ones.
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

// bounded returns v, or n when v is no offset below n.
func bounded(v uint64, n int) int {
	if v >= uint64(n) {
		return n
	}
	return int(v)
}
