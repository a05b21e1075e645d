package protobuf

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
)

// ErrFields is returned for a malformed message.
var ErrFields = errors.New("a message is damaged")

// Field is a field of a message: a number, or the bytes of a text or an embedded message.
type Field struct {
	Number int
	Value  uint64
	Bytes  []byte
	IsText bool // the value is Bytes, not Value
}

// Stream reads the fields of a message and calls take for each. It skips fields whose bytes
// wants refuses.
func Stream(from io.Reader, wants func(number int, size uint64) (bool, error), take func(Field) error) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		f, size, err := streamField(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f.IsText {
			kept, err := wants(f.Number, size)
			if err != nil {
				return err
			}
			if !kept {
				if _, err := io.CopyN(io.Discard, r, int64(size)); err != nil {
					return cutField(err)
				}
				continue
			}
			f.Bytes = make([]byte, size)
			if _, err := io.ReadFull(r, f.Bytes); err != nil {
				return cutField(err)
			}
		}
		if err := take(f); err != nil {
			return err
		}
	}
}

// streamField reads a field up to the bytes of a text, whose size it returns; [io.EOF] at
// the end of the message.
func streamField(r *bufio.Reader) (f Field, size uint64, err error) {
	if _, err := r.Peek(1); err != nil {
		return f, 0, err
	}
	tag, err := readVarint(r)
	if err != nil || tag>>3 == 0 || tag>>3 > 1<<29 {
		return f, 0, cmp.Or(err, ErrFields)
	}
	f.Number = int(tag >> 3)
	switch tag & 7 {
	case wireVarint:
		f.Value, err = readVarint(r)
	case wireBytes:
		f.IsText = true
		if size, err = readVarint(r); size > 1<<62 {
			err = ErrFields
		}
	case wireFixed64:
		_, err = r.Discard(8)
	case wireFixed32:
		_, err = r.Discard(4)
	default:
		err = ErrFields
	}
	return f, size, cutField(err)
}

// readVarint reads a varint.
func readVarint(r *bufio.Reader) (uint64, error) {
	b, err := r.Peek(binary.MaxVarintLen64)
	v, n := binary.Uvarint(b)
	switch {
	case n > 0:
		_, err = r.Discard(n)
	case n < 0 || err == nil:
		err = ErrFields
	}
	return v, cutField(err)
}

// cutField returns err, with ErrFields in place of an end of file.
func cutField(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrFields
	}
	return err
}

// Each calls take for each field of a message.
func Each(m []byte, take func(Field) error) error {
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
func nextField(m []byte) (f Field, rest []byte, err error) {
	tag, n := binary.Uvarint(m)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
		return f, nil, ErrFields
	}
	f.Number, m = int(tag>>3), m[n:]
	size := uint64(0)
	switch tag & 7 {
	case wireVarint:
		f.Value, n = binary.Uvarint(m)
		if n <= 0 {
			return f, nil, ErrFields
		}
		return f, m[n:], nil
	case wireBytes:
		if size, n = binary.Uvarint(m); n <= 0 {
			return f, nil, ErrFields
		}
		m, f.IsText = m[n:], true
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	default:
		return f, nil, ErrFields
	}
	if size > uint64(len(m)) {
		return f, nil, ErrFields
	}
	f.Bytes = m[:size]
	return f, m[size:], nil
}

// Numbers appends the numbers of a repeated field, packed or not, to list.
func (f *Field) Numbers(list []uint64) ([]uint64, error) {
	if !f.IsText {
		return append(list, f.Value), nil
	}
	for m := f.Bytes; len(m) > 0; {
		v, n := binary.Uvarint(m)
		if n <= 0 {
			return nil, ErrFields
		}
		list, m = append(list, v), m[n:]
	}
	return list, nil
}

// Numbers stores the numeric fields of a message by field number. It ignores those beyond
// len(fields).
func Numbers(m []byte, fields []uint64) error {
	return Each(m, func(f Field) error {
		if !f.IsText && f.Number < len(fields) {
			fields[f.Number] = f.Value
		}
		return nil
	})
}
