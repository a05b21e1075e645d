// Package protobuf writes and reads messages of protocol buffers.
package protobuf

import (
	"encoding/binary"
)

// Message is the fields of a message of protocol buffers, one after another
// (protobuf.dev, Encoding). Fields that are 0 or empty are left out, as their
// reader takes them for that.
type Message []byte

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m Message) tag(field, wire int) Message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

func (m Message) Number(field int, value uint64) Message {
	if value == 0 {
		return m
	}
	return binary.AppendUvarint(m.tag(field, wireVarint), value)
}

// Signed writes an int64, the negative ones as two's complement.
func (m Message) Signed(field int, value int64) Message { return m.Number(field, uint64(value)) }

func (m Message) Flag(field int, value bool) Message {
	if !value {
		return m
	}
	return m.Number(field, 1)
}

// Fixed64 writes a number in eight bytes.
func (m Message) Fixed64(field int, value uint64) Message {
	return binary.LittleEndian.AppendUint64(m.tag(field, wireFixed64), value)
}

// Text writes a text, if it is not empty.
func (m Message) Text(field int, s string) Message {
	if s == "" {
		return m
	}
	return append(m.Length(field, len(s)), s...)
}

// Length begins a field of so many bytes.
func (m Message) Length(field, size int) Message {
	return binary.AppendUvarint(m.tag(field, wireBytes), uint64(size))
}

// Inner writes a message within this one, also when it has no fields.
func (m Message) Inner(field int, value Message) Message {
	return append(m.Length(field, len(value)), value...)
}

// Packed writes repeated numbers in one field.
func (m Message) Packed(field int, values []uint64) Message {
	if len(values) == 0 {
		return m
	}
	size := 0
	for _, v := range values {
		size += uvarintLen(v)
	}
	m = m.Length(field, size)
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
