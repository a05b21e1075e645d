package cfi

import (
	"encoding/binary"
	"fmt"
)

// Pointer encodings (Linux Standard Base 5, 10.5.1, DW_EH_PE_*): the format in the
// low four bits, the base in the next three, and indirection.
const (
	encAbsolute = 0x00
	encULEB     = 0x01
	encUData2   = 0x02
	encUData4   = 0x03
	encUData8   = 0x04
	encSigned   = 0x08
	encSLEB     = 0x09
	encSData2   = 0x0a
	encSData4   = 0x0b
	encSData8   = 0x0c

	encPCRel    = 0x10
	encTextRel  = 0x20
	encDataRel  = 0x30
	encFuncRel  = 0x40
	encAligned  = 0x50
	encIndirect = 0x80
	encOmit     = 0xff
)

// bases are the addresses that an encoded pointer may be relative to, beside its own.
// A pointer relative to a nil base is an error.
type bases struct {
	data, function *uint64
}

// encoded reads an encoded pointer; size, 4 or 8, is the target's. For an indirect
// pointer it returns the address where the pointer is.
func (c *cursor) encoded(enc uint8, size int, b bases) (uint64, error) {
	if enc == encOmit {
		return 0, fmt.Errorf("pointer is omitted")
	}
	if enc&0x70 == encAligned {
		pad := -c.vmaddr() & uint64(size-1)
		c.take(pad)
		return c.pointer(size), nil
	}
	base, err := c.base(enc, b)
	if err != nil {
		return 0, err
	}
	v, err := c.value(enc, size)
	if err != nil {
		return 0, err
	}
	v += base
	if size == 4 {
		v &= 1<<32 - 1
	}
	return v, nil
}

// base returns the address that a pointer at the cursor is relative to.
func (c *cursor) base(enc uint8, b bases) (uint64, error) {
	var base *uint64
	switch enc & 0x70 {
	case encAbsolute:
		return 0, nil
	case encPCRel:
		return c.vmaddr(), nil
	case encDataRel:
		base = b.data
	case encFuncRel:
		base = b.function
	}
	if base == nil {
		return 0, fmt.Errorf("pointer encoding %#x has no base here", enc)
	}
	return *base, nil
}

// value reads the number of an encoded pointer, without its base.
func (c *cursor) value(enc uint8, size int) (uint64, error) {
	if n := fixedSize(enc, size); n != 0 {
		if b := c.take(uint64(n)); b != nil {
			return fixed(b, enc), nil
		}
		return 0, nil
	}
	switch enc & 0x0f {
	case encULEB:
		return c.uleb(), nil
	case encSLEB:
		return uint64(c.sleb()), nil
	}
	return 0, fmt.Errorf("unknown pointer encoding %#x", enc)
}

// fixed decodes a number that fills b.
func fixed(b []byte, enc uint8) uint64 {
	signed := enc&encSigned != 0
	switch {
	case len(b) == 8:
		return binary.LittleEndian.Uint64(b)
	case len(b) == 4 && signed:
		return uint64(int32(binary.LittleEndian.Uint32(b)))
	case len(b) == 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case signed:
		return uint64(int16(binary.LittleEndian.Uint16(b)))
	}
	return uint64(binary.LittleEndian.Uint16(b))
}

// fixedSize returns the size of an encoding's number in bytes, 0 for LEB128.
func fixedSize(enc uint8, size int) int {
	switch enc & 0x07 {
	case encAbsolute:
		return size
	case encUData2:
		return 2
	case encUData4:
		return 4
	case encUData8:
		return 8
	}
	return 0
}
