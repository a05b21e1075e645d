package bundle

import (
	"encoding/binary"
	"unicode/utf16"
)

// The binary form (CoreFoundation, CFBinaryPList.c and ForFoundationOnly.h,
// CFBinaryPlistTrailer): objects, a table of their offsets, and a trailer.
const (
	binaryMagic = "bplist0"
	trailerSize = 32
	maxObjects  = 1 << 16
)

// The types of objects that are read: the upper half of an object's first byte.
const (
	asciiMarker = 0x5
	utf16Marker = 0x6
	dictMarker  = 0xD
	intMarker   = 0x1
	longCount   = 0xF // lower half: an integer with the count follows
)

// list is a binary property list.
type list struct {
	data       []byte // without the trailer
	table      uint64 // position of the offsets
	offsetSize uint64
	refSize    uint64
	objects    uint64
	outermost  uint64
}

func parseBinary(b []byte, values map[string]string) {
	l, ok := newList(b)
	if !ok {
		return
	}
	at, ok := l.offset(l.outermost)
	if !ok || l.data[at]>>4 != dictMarker {
		return
	}
	n, at, ok := l.count(at)
	if !ok || n > l.objects {
		return
	}
	for i := range n {
		key, ok := l.reference(at + i*l.refSize)
		if !ok {
			return
		}
		name, ok := l.text(key)
		if !ok || !isWanted(name) {
			continue
		}
		if value, ok := l.reference(at + (n+i)*l.refSize); ok {
			if text, ok := l.text(value); ok {
				values[name] = text
			}
		}
	}
}

// newList reads the trailer: five unused bytes, sortVersion, offsetIntSize,
// objectRefSize, and three 8-byte numbers.
func newList(b []byte) (list, bool) {
	if len(b) < len(binaryMagic)+trailerSize {
		return list{}, false
	}
	data, trailer := b[:len(b)-trailerSize], b[len(b)-trailerSize:]
	big := binary.BigEndian
	l := list{
		data: data, offsetSize: uint64(trailer[6]), refSize: uint64(trailer[7]),
		objects: big.Uint64(trailer[8:]), outermost: big.Uint64(trailer[16:]), table: big.Uint64(trailer[24:]),
	}
	if l.offsetSize == 0 || l.offsetSize > 8 || l.refSize == 0 || l.refSize > 8 || l.objects > maxObjects {
		return list{}, false
	}
	return l, l.table <= uint64(len(data)) && l.objects*l.offsetSize <= uint64(len(data))-l.table
}

// number reads a big-endian number of size bytes.
func (l *list) number(at, size uint64) (uint64, bool) {
	if at > uint64(len(l.data)) || size > uint64(len(l.data))-at {
		return 0, false
	}
	var n uint64
	for _, c := range l.data[at : at+size] {
		n = n<<8 | uint64(c)
	}
	return n, true
}

// offset returns the position of an object. Its first byte exists.
func (l *list) offset(object uint64) (uint64, bool) {
	if object >= l.objects {
		return 0, false
	}
	at, ok := l.number(l.table+object*l.offsetSize, l.offsetSize)
	return at, ok && at < uint64(len(l.data))
}

func (l *list) reference(at uint64) (object uint64, ok bool) { return l.number(at, l.refSize) }

// count returns the number of an object's elements and the position of the first.
func (l *list) count(at uint64) (n, first uint64, ok bool) {
	if n = uint64(l.data[at] & 0xF); n != longCount {
		return n, at + 1, true
	}
	marker, ok := l.number(at+1, 1)
	if !ok || marker>>4 != intMarker || marker&0xF > 3 {
		return 0, 0, false
	}
	size := uint64(1) << (marker & 0xF)
	n, ok = l.number(at+2, size)
	return n, at + 2 + size, ok
}

// text reads a string.
func (l *list) text(object uint64) (string, bool) {
	at, ok := l.offset(object)
	if !ok {
		return "", false
	}
	marker := l.data[at] >> 4
	n, first, ok := l.count(at)
	if !ok || n > maxText || first > uint64(len(l.data)) {
		return "", false
	}
	rest := l.data[first:]
	switch {
	case marker == asciiMarker && n <= uint64(len(rest)):
		return string(rest[:n]), true
	case marker == utf16Marker && 2*n <= uint64(len(rest)):
		units := make([]uint16, n)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(rest[2*i:])
		}
		return string(utf16.Decode(units)), true
	}
	return "", false
}
