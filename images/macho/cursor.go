package macho

import (
	"bytes"
	"encoding/binary"
)

// cursor reads fields in order. Past the end it returns zeros and sets short.
type cursor struct {
	data  []byte
	order binary.ByteOrder
	short bool
}

func (c *cursor) bytes(n int) []byte {
	if n > len(c.data) {
		c.short = true
		c.data = nil
		return make([]byte, n)
	}
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}

func (c *cursor) u32() uint32 { return c.order.Uint32(c.bytes(4)) }
func (c *cursor) u64() uint64 { return c.order.Uint64(c.bytes(8)) }

// word reads a uint64 in the 64-bit layout, a uint32 in the other.
func (c *cursor) word(is64 bool) uint64 {
	if is64 {
		return c.u64()
	}
	return uint64(c.u32())
}

// name reads a fixed array of 16 bytes, padded with NULs.
func (c *cursor) name() string { return cString(c.bytes(16)) }

// cString returns b up to its first NUL.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
