package dwarf

import (
	"bytes"
	"encoding/binary"

	"stacksnap/images/object"
)

const (
	farWindow  = 64 << 10 // bytes read at once when reading sequentially
	nearWindow = 512      // when reading one entry
	maxString  = 64 << 10 // bytes of a string
)

// cursor reads consecutive values from a section. The first error is kept; after it
// all values are 0.
type cursor struct {
	data   *Data
	s      *section
	buf    []byte // a window of the section
	base   uint64 // offset of buf in the section
	pos    int    // in buf
	end    uint64 // end of reading
	window uint64 // bytes to read at once
	err    error
}

// cursor returns a cursor for a section from off to end.
func (d *Data) cursor(which int, off, end, window uint64) *cursor {
	c := &cursor{data: d, s: d.section(which), base: off, window: window}
	c.end = min(end, c.s.size)
	switch {
	case c.s.r == nil:
		c.fail(errNone)
	case off > c.end:
		c.fail(errEnd)
	}
	return c
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.buf, c.pos = nil, 0
}

// offset returns the offset of the next value in the section.
func (c *cursor) offset() uint64 { return c.base + uint64(c.pos) }

// more reports whether anything is left to read.
func (c *cursor) more() bool { return c.err == nil && c.offset() < c.end }

// seek continues at off.
func (c *cursor) seek(off uint64) {
	if off >= c.base && off-c.base <= uint64(len(c.buf)) {
		c.pos = int(off - c.base)
		return
	}
	if off > c.end {
		c.fail(errEnd)
		return
	}
	c.base, c.buf, c.pos = off, c.buf[:0], 0
}

// skip skips n bytes.
func (c *cursor) skip(n uint64) {
	if n <= uint64(len(c.buf)-c.pos) {
		c.pos += int(n)
		return
	}
	if at := c.offset(); n > c.end-min(at, c.end) {
		c.fail(errEnd)
	} else {
		c.seek(at + n)
	}
}

// need makes n bytes available at the position.
func (c *cursor) need(n int) bool {
	if n <= len(c.buf)-c.pos {
		return true
	}
	if c.err != nil {
		return false
	}
	at := c.offset()
	if at > c.end || uint64(n) > c.end-at {
		c.fail(errEnd)
		return false
	}
	size := min(max(uint64(n), c.window), c.end-at)
	if c.charge(int(size)); c.err != nil {
		return false
	}
	buf, err := c.s.window(c.buf, at, size)
	if err != nil {
		c.fail(err)
		return false
	}
	c.buf, c.base, c.pos = buf, at, 0
	return true
}

// charge takes n from the reading budget: bytes, or values that may have no bytes.
func (c *cursor) charge(n int) {
	if !c.data.budget.Read(uint64(n)) {
		c.fail(object.ErrBudget)
	}
}

// take returns the next n bytes, nil if there are fewer.
func (c *cursor) take(n int) []byte {
	if !c.need(n) {
		return nil
	}
	b := c.buf[c.pos : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) u8() uint8 {
	if c.pos < len(c.buf) || c.need(1) {
		b := c.buf[c.pos]
		c.pos++
		return b
	}
	return 0
}

func (c *cursor) u16() uint16 { return uint16(c.uint(2)) }
func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }

// uint reads an unsigned number of 1 to 8 bytes.
func (c *cursor) uint(size int) uint64 {
	b := c.take(size)
	switch {
	case b == nil:
		return 0
	case size == 8:
		return binary.LittleEndian.Uint64(b)
	case size == 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

// uleb reads an unsigned LEB128 number; bits beyond 64 are dropped.
func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.u8()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

// sleb reads a signed LEB128 number.
func (c *cursor) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := c.u8()
		v |= int64(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// skipLEB skips an LEB128 number.
func (c *cursor) skipLEB() {
	for c.u8() >= 0x80 {
	}
}

// skipString skips a NUL-terminated string.
func (c *cursor) skipString() {
	for c.need(1) {
		if i := bytes.IndexByte(c.buf[c.pos:], 0); i >= 0 {
			c.pos += i + 1
			return
		}
		c.pos = len(c.buf)
	}
}

// string reads a NUL-terminated string.
func (c *cursor) string() string {
	var s []byte
	for c.need(1) {
		rest := c.buf[c.pos:]
		i := bytes.IndexByte(rest, 0)
		if i >= 0 {
			c.pos += i + 1
			return string(append(s, rest[:i]...))
		}
		if s = append(s, rest...); len(s) > maxString {
			c.fail(errLarge)
		}
		c.pos = len(c.buf)
	}
	return ""
}

// initialLength reads the length that precedes a unit or table, and returns the size
// of offsets in it, 0 if the length is invalid.
func (c *cursor) initialLength() (length uint64, offsetSize int) {
	length, offsetSize = uint64(c.u32()), 4
	switch {
	case length == 0xffffffff:
		length, offsetSize = c.uint(8), 8
	case length >= 0xfffffff0:
		offsetSize = 0
	}
	if c.err != nil || length > c.end-c.offset() {
		return 0, 0
	}
	return length, offsetSize
}
