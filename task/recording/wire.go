package recording

import (
	"encoding/binary"
	"errors"
)

// errWire means that bytes are not a Protocol Buffers message.
var errWire = errors.New("malformed message")

// The wire types (protobuf.dev, Encoding, Message Structure).
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// appendTag appends a field's number and wire type. It is not inlined: copies of it took 12 kB of the program.
//
//go:noinline
func appendTag(b []byte, field, wire int) []byte {
	return binary.AppendUvarint(b, uint64(field)<<3|uint64(wire))
}

// appendUint appends a field of type uint64. It is not inlined: copies of it took 16 kB of the program.
//
//go:noinline
func appendUint(b []byte, field int, v uint64) []byte {
	return binary.AppendUvarint(appendTag(b, field, wireVarint), v)
}

// appendSint appends a sint64: zigzag, so that small negative numbers are short.
func appendSint(b []byte, field int, v int64) []byte {
	return appendUint(b, field, zigzag(v))
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func appendBytes[T string | []byte](b []byte, field int, v T) []byte {
	b = binary.AppendUvarint(appendTag(b, field, wireBytes), uint64(len(v)))
	return append(b, v...)
}

// The append…If functions append nothing for a zero value.

// appendUintIf appends a field of type uint64 if it is not zero. It is not inlined: copies of it took 30 kB of the program.
//
//go:noinline
func appendUintIf(b []byte, field int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendUint(b, field, v)
}

func appendBoolIf(b []byte, field int, v bool) []byte {
	if !v {
		return b
	}
	return appendUint(b, field, 1)
}

func appendBytesIf[T string | []byte](b []byte, field int, v T) []byte {
	if len(v) == 0 {
		return b
	}
	return appendBytes(b, field, v)
}

// begin opens an embedded message; pass the returned int to end to close it.
func begin(b []byte, field int) ([]byte, int) {
	b = append(appendTag(b, field, wireBytes), 0)
	return b, len(b)
}

func end(b []byte, start int) []byte {
	n := len(b) - start
	if n < 0x80 {
		b[start-1] = byte(n)
		return b
	}
	var length [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(length[:], uint64(n))
	b = append(b, length[:k-1]...)
	copy(b[start-1+k:], b[start:start+n])
	copy(b[start-1:], length[:k])
	return b
}

// message reads the fields of a message in order.
type message struct {
	rest  []byte
	field int
	n     uint64 // value of a number
	data  []byte // bytes, a string, a message or packed numbers; nil for a number
	err   error
}

func newMessage(b []byte) message { return message{rest: b} }

// next reads a field. It returns false at the end and on an error.
func (m *message) next() bool {
	if len(m.rest) == 0 || m.err != nil {
		return false
	}
	tag := m.uvarint()
	m.n, m.data = 0, nil
	m.field = int(tag >> 3 & (1<<29 - 1))
	switch tag & 7 {
	case wireVarint:
		m.n = m.uvarint()
	case wireBytes:
		m.data = m.take(m.uvarint())
	case wire64:
		if b := m.take(8); b != nil {
			m.n = binary.LittleEndian.Uint64(b)
		}
		m.data = nil
	case wire32:
		if b := m.take(4); b != nil {
			m.n = uint64(binary.LittleEndian.Uint32(b))
		}
	default:
		m.err = errWire
	}
	return m.err == nil
}

func (m *message) uvarint() uint64 {
	v, n := binary.Uvarint(m.rest)
	if n <= 0 {
		m.err = errWire
		m.rest = nil
		return 0
	}
	m.rest = m.rest[n:]
	return v
}

// take returns the next n bytes; nil only on an error.
func (m *message) take(n uint64) []byte {
	if m.err != nil || n > uint64(len(m.rest)) {
		m.err = errWire
		return nil
	}
	b := m.rest[:n:n]
	m.rest = m.rest[n:]
	return b
}

func (m *message) string() string { return string(m.data) }
func (m *message) bool() bool     { return m.n != 0 }
func (m *message) sint() int64    { return unzigzag(m.n) }

// packed calls f for each number in a packed field, or for the one number of another.
func (m *message) packed(f func(uint64) error) {
	if m.data == nil {
		m.fail(f(m.n))
		return
	}
	numbers := message{rest: m.data}
	for len(numbers.rest) > 0 && m.err == nil {
		v := numbers.uvarint()
		m.fail(numbers.err)
		if m.err == nil {
			m.fail(f(v))
		}
	}
}

// fail keeps the first error.
func (m *message) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}
