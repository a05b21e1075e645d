package format

import (
	"encoding/binary"
	"errors"
)

// errFields says that bytes are no message of protocol buffers.
var errFields = errors.New("a message is damaged")

// pprofField is one field of a message: a number, or the bytes of a text or a message.
type pprofField struct {
	number int
	value  uint64
	bytes  []byte
	isText bool // bytes are its value
}

// eachField gives the fields of a message.
func eachField(m []byte, take func(pprofField) error) error {
	for len(m) > 0 {
		f, rest, err := nextField(m)
		if err != nil {
			return err
		}
		if err := take(f); err != nil {
			return err
		}
		m = rest
	}
	return nil
}

// nextField reads the first field of a message that is not empty.
func nextField(m []byte) (f pprofField, rest []byte, err error) {
	tag, n := binary.Uvarint(m)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
		return f, nil, errFields
	}
	f.number, m = int(tag>>3), m[n:]
	size := uint64(0)
	switch tag & 7 {
	case wireVarint:
		f.value, n = binary.Uvarint(m)
		if n <= 0 {
			return f, nil, errFields
		}
		return f, m[n:], nil
	case wireBytes:
		if size, n = binary.Uvarint(m); n <= 0 {
			return f, nil, errFields
		}
		m, f.isText = m[n:], true
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	default:
		return f, nil, errFields
	}
	if size > uint64(len(m)) {
		return f, nil, errFields
	}
	f.bytes = m[:size]
	return f, m[size:], nil
}

// numbers adds what a repeated field has, packed or one by one.
func (f *pprofField) numbers(list []uint64) ([]uint64, error) {
	if !f.isText {
		return append(list, f.value), nil
	}
	for m := f.bytes; len(m) > 0; {
		v, n := binary.Uvarint(m)
		if n <= 0 {
			return nil, errFields
		}
		list, m = append(list, v), m[n:]
	}
	return list, nil
}

// numbersOf reads those fields of a message that are numbers below a bound.
func numbersOf(m []byte, fields []uint64) error {
	return eachField(m, func(f pprofField) error {
		if !f.isText && f.number < len(fields) {
			fields[f.number] = f.value
		}
		return nil
	})
}
