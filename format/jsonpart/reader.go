package jsonpart

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// The bounds of one decoded value.
const (
	maxText     = 1 << 20  // bytes of a string, or of a number
	maxValue    = 32 << 20 // bytes
	maxElements = 1 << 18  // most elements in all lists and objects of a value together
	maxDepth    = 64
)

// bufferSize is the size of the buffer. A value that fits into it is decoded at once.
const bufferSize = 64 << 10

// elementSize is the cost of an element besides its text, in bytes.
const elementSize = 32

// ErrTooLarge is returned for a value that exceeds the bounds.
var ErrTooLarge = errors.New("a value is too large")

// SyntaxError is the error of a document that is no JSON, or that has another type of value
// than the caller expects.
type SyntaxError struct {
	Offset int64
	Want   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("no %s at byte %d", e.Want, e.Offset)
}

// Reader reads a document. Its errors are a *[SyntaxError], [io.ErrUnexpectedEOF],
// [ErrTooLarge], those of the stream, and those of [json.Unmarshal].
type Reader struct {
	from   *bufio.Reader // has a buffer of bufferSize
	at     int64         // bytes read so far
	shapes map[reflect.Type]*shape
	atOnce int // largest value that is decoded at once

	value    []byte // the kept parts of the current value
	elements int    // number of elements in value
}

// NewReader returns a reader of a document.
func NewReader(from io.Reader) *Reader {
	return &Reader{from: bufio.NewReaderSize(from, bufferSize), shapes: map[reflect.Type]*shape{}, atOnce: bufferSize}
}

// Members reads an object and calls member, which must read the value, for each name. A
// name longer than a megabyte is passed as empty.
func (r *Reader) Members(member func(name string) error) error {
	return r.list('{', '}', "object", func() error {
		name, err := r.name()
		if err != nil {
			return err
		}
		return member(name)
	})
}

// Elements reads a list and calls element, which must read it, for each element.
func (r *Reader) Elements(element func() error) error { return r.list('[', ']', "list", element) }

// Decode reads a value into *v, as [json.Unmarshal] does. An object or list where v expects
// another kind is replaced by an empty one.
func (r *Reader) Decode(v any) error {
	r.value, r.elements = r.value[:0], 0
	if err := r.keepValue(r.shapeOf(reflect.TypeOf(v))); err != nil {
		return err
	}
	return json.Unmarshal(r.value, v)
}

// Member reads the value of a member into the field of that name in the struct *v. It skips
// the value if there is no such field.
func (r *Reader) Member(name string, v any) error {
	field, ok := r.shapeOf(reflect.TypeOf(v)).fields[name]
	if !ok {
		r.value, r.elements = r.value[:0], 0
		return r.Skip()
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return err
	}
	r.value, r.elements = append(append(append(r.value[:0], '{'), quoted...), ':'), 0
	if err := r.keepValue(field); err != nil {
		return err
	}
	r.value = append(r.value, '}')
	return json.Unmarshal(r.value, v)
}

// Size returns the approximate memory, in bytes, of the last value that Decode or Member
// has stored.
func (r *Reader) Size() int { return len(r.value) + elementSize*r.elements }

// End returns an error unless the document ends here.
func (r *Reader) End() error {
	switch _, err := r.next(); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	case err != nil:
		return err
	}
	return r.wrong("end")
}

func (r *Reader) wrong(want string) error { return &SyntaxError{r.at, want} }

// next returns the next byte that is no white space, without consuming it.
func (r *Reader) next() (byte, error) {
	for {
		b, err := r.buffered()
		if err != nil {
			return 0, err
		}
		if rest := bytes.TrimLeft(b, " \t\r\n"); len(rest) > 0 {
			first := rest[0] // before the buffer moves on
			r.discard(len(b) - len(rest))
			return first, nil
		}
		r.discard(len(b))
	}
}

// buffered returns the buffered bytes, at least one.
func (r *Reader) buffered() ([]byte, error) {
	if _, err := r.from.Peek(1); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return r.from.Peek(r.from.Buffered())
}

// discard consumes n buffered bytes.
func (r *Reader) discard(n int) {
	n, _ = r.from.Discard(n)
	r.at += int64(n)
}

// expect consumes the byte want, and returns an error if another one follows.
func (r *Reader) expect(want byte, what string) error {
	c, err := r.next()
	if err == nil && c != want {
		err = r.wrong(what)
	}
	if err == nil {
		r.discard(1)
	}
	return err
}

// list reads elements between two brackets, separated by commas.
func (r *Reader) list(begin, end byte, what string, element func() error) error {
	if err := r.expect(begin, what); err != nil {
		return err
	}
	c, err := r.next()
	if err != nil {
		return err
	}
	for c != end {
		if err := element(); err != nil {
			return err
		}
		if c, err = r.next(); err != nil {
			return err
		}
		if c != end {
			if err := r.expect(',', "comma"); err != nil {
				return err
			}
		}
	}
	r.discard(1)
	return nil
}

// name reads the name of a member, and the colon after it.
func (r *Reader) name() (name string, err error) {
	if err := r.expect('"', "name"); err != nil {
		return "", err
	}
	quoted, err := r.text([]byte{'"'}, maxText)
	if errors.Is(err, ErrTooLarge) {
		quoted, err = []byte(`""`), r.skipText()
	}
	if err == nil {
		err = json.Unmarshal(quoted, &name)
	}
	if err != nil {
		return "", err
	}
	return name, r.expect(':', "colon")
}
