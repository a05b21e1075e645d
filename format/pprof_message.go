package format

import "encoding/binary"

// message is the fields of a message of protocol buffers, one after another
// (protobuf.dev, Encoding). Fields that are 0 or empty are left out, as their
// reader takes them for that.
type message []byte

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m message) tag(field, wire int) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

func (m message) number(field int, value uint64) message {
	if value == 0 {
		return m
	}
	return binary.AppendUvarint(m.tag(field, wireVarint), value)
}

// signed writes an int64, the negative ones as two's complement.
func (m message) signed(field int, value int64) message { return m.number(field, uint64(value)) }

func (m message) flag(field int, value bool) message {
	if !value {
		return m
	}
	return m.number(field, 1)
}

// fixed64 writes a number in eight bytes.
func (m message) fixed64(field int, value uint64) message {
	return binary.LittleEndian.AppendUint64(m.tag(field, wireFixed64), value)
}

// text writes a text, if it is not empty.
func (m message) text(field int, s string) message {
	if s == "" {
		return m
	}
	return append(m.length(field, len(s)), s...)
}

// length begins a field of so many bytes.
func (m message) length(field, size int) message {
	return binary.AppendUvarint(m.tag(field, wireBytes), uint64(size))
}

// inner writes a message within this one, also when it has no fields.
func (m message) inner(field int, value message) message {
	return append(m.length(field, len(value)), value...)
}

// packed writes repeated numbers in one field.
func (m message) packed(field int, values []uint64) message {
	if len(values) == 0 {
		return m
	}
	size := 0
	for _, v := range values {
		size += uvarintLen(v)
	}
	m = m.length(field, size)
	for _, v := range values {
		m = binary.AppendUvarint(m, v)
	}
	return m
}

func uvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
