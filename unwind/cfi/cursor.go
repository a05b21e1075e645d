package cfi

import (
	"bytes"
	"encoding/binary"
)

// cursor reads little-endian fields from part of a section. A read past the end
// returns zero and sets bad, which callers check once they have read a structure.
type cursor struct {
	data []byte
	pos  int
	addr uint64 // vmaddr of data[0]
	bad  bool
}

// vmaddr returns the address of the next byte in memory.
func (c *cursor) vmaddr() uint64 { return c.addr + uint64(c.pos) }

func (c *cursor) left() int { return len(c.data) - c.pos }

// take returns the next n bytes. If there are fewer it returns nil and sets bad.
func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(c.left()) {
		c.bad = true
		return nil
	}
	b := c.data[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b
}

func (c *cursor) u8() uint8 {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// pointer reads a plain pointer of 4 or 8 bytes.
func (c *cursor) pointer(size int) uint64 {
	if size == 4 {
		return uint64(c.u32())
	}
	return c.u64()
}

// uleb reads an unsigned LEB128; bits beyond 64 are dropped (DWARF 5, 7.6).
func (c *cursor) uleb() uint64 {
	v, _, _ := c.leb()
	return v
}

// sleb reads a signed LEB128.
func (c *cursor) sleb() int64 {
	v, shift, last := c.leb()
	if shift < 64 && last&0x40 != 0 {
		v |= ^uint64(0) << shift
	}
	return int64(v)
}

func (c *cursor) leb() (v uint64, shift uint, last byte) {
	for {
		last = c.u8()
		if c.bad {
			return 0, 64, 0
		}
		if shift < 64 {
			v |= uint64(last&0x7f) << shift
			shift += 7
		}
		if last&0x80 == 0 {
			return v, shift, last
		}
	}
}

// cstring reads a NUL-terminated string, without the NUL.
func (c *cursor) cstring() string {
	if c.bad {
		return ""
	}
	n := bytes.IndexByte(c.data[c.pos:], 0)
	if n < 0 {
		c.bad = true
		return ""
	}
	s := string(c.data[c.pos : c.pos+n])
	c.pos += n + 1
	return s
}
