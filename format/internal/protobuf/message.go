// Package protobuf writes and reads protocol buffer messages.
package protobuf

import (
	"encoding/binary"
)

// Message is an encoded protocol buffer message (protobuf.dev, Encoding). Fields that are 0
// or empty are left out, since these are the defaults.
type Message []byte

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// tag appends a field's number and wire type. It is not inlined: copies of it took 40 kB of the program.
//
//go:noinline
func (m Message) tag(field, wire int) Message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

func (m Message) Number(field int, value uint64) Message {
	if value == 0 {
		return m
	}
	return binary.AppendUvarint(m.tag(field, wireVarint), value)
}

// Signed appends an int64, negative ones as two's complement.
func (m Message) Signed(field int, value int64) Message { return m.Number(field, uint64(value)) }

func (m Message) Flag(field int, value bool) Message {
	if !value {
		return m
	}
	return m.Number(field, 1)
}

// Fixed64 appends a number as eight bytes.
func (m Message) Fixed64(field int, value uint64) Message {
	return binary.LittleEndian.AppendUint64(m.tag(field, wireFixed64), value)
}

// Text appends a text, if it is not empty.
func (m Message) Text(field int, s string) Message {
	if s == "" {
		return m
	}
	return append(m.Length(field, len(s)), s...)
}

// Length appends the tag and length of a field of size bytes.
func (m Message) Length(field, size int) Message {
	return binary.AppendUvarint(m.tag(field, wireBytes), uint64(size))
}

// Inner appends an embedded message, even if it is empty.
func (m Message) Inner(field int, value Message) Message {
	return append(m.Length(field, len(value)), value...)
}

// Packed appends repeated numbers as one packed field.
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
