package format

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
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

// streamFields gives the fields of a message as they come. Bytes that wants refuses are
// skipped.
func streamFields(from io.Reader, wants func(number int, size uint64) (bool, error), take func(pprofField) error) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		f, size, err := streamField(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f.isText {
			kept, err := wants(f.number, size)
			if err != nil {
				return err
			}
			if !kept {
				if _, err := io.CopyN(io.Discard, r, int64(size)); err != nil {
					return cutField(err)
				}
				continue
			}
			f.bytes = make([]byte, size)
			if _, err := io.ReadFull(r, f.bytes); err != nil {
				return cutField(err)
			}
		}
		if err := take(f); err != nil {
			return err
		}
	}
}

// streamField reads a field but for the bytes of a text, of which it returns how many
// there are; [io.EOF] where there is no field.
func streamField(r *bufio.Reader) (f pprofField, size uint64, err error) {
	if _, err := r.Peek(1); err != nil {
		return f, 0, err
	}
	tag, err := readVarint(r)
	if err != nil || tag>>3 == 0 || tag>>3 > 1<<29 {
		return f, 0, cmp.Or(err, errFields)
	}
	f.number = int(tag >> 3)
	switch tag & 7 {
	case wireVarint:
		f.value, err = readVarint(r)
	case wireBytes:
		f.isText = true
		if size, err = readVarint(r); size > 1<<62 {
			err = errFields
		}
	case wireFixed64:
		_, err = r.Discard(8)
	case wireFixed32:
		_, err = r.Discard(4)
	default:
		err = errFields
	}
	return f, size, cutField(err)
}

// readVarint reads a number of a field.
func readVarint(r *bufio.Reader) (uint64, error) {
	b, err := r.Peek(binary.MaxVarintLen64)
	v, n := binary.Uvarint(b)
	switch {
	case n > 0:
		_, err = r.Discard(n)
	case n < 0 || err == nil:
		err = errFields
	}
	return v, cutField(err)
}

// cutField is the error of a field, where there is one, that the stream ends in.
func cutField(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errFields
	}
	return err
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
