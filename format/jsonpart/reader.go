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

// The bounds of one value that is decoded.
const (
	maxText     = 1 << 20  // bytes of a string, or of a number
	maxValue    = 32 << 20 // bytes
	maxElements = 1 << 18  // of all its lists and objects together
	maxDepth    = 64
)

// bufferSize is how much of a document is buffered. A value that fits is decoded at once.
const bufferSize = 64 << 10

// elementSize is what an element costs besides its text, in bytes.
const elementSize = 32

// ErrTooLarge says that a value is beyond the bounds.
var ErrTooLarge = errors.New("a value is too large")

// SyntaxError says that a document is no JSON, or that something else is in it than
// the caller asked for.
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
	from   *bufio.Reader // of bufferSize
	at     int64         // bytes that were read
	shapes map[reflect.Type]*shape
	atOnce int // up to which size a value is decoded at once

	value    []byte // what is kept of the value that is being decoded
	elements int    // of it
}

// NewReader returns a reader of a document.
func NewReader(from io.Reader) *Reader {
	return &Reader{from: bufio.NewReaderSize(from, bufferSize), shapes: map[reflect.Type]*shape{}, atOnce: bufferSize}
}

// Members reads an object, whose values member reads. A name of more than a megabyte
// is none that anybody knows, and is given as empty.
func (r *Reader) Members(member func(name string) error) error {
	return r.list('{', '}', "object", func() error {
		name, err := r.name()
		if err != nil {
			return err
		}
		return member(name)
	})
}

// Elements reads a list, whose values element reads.
func (r *Reader) Elements(element func() error) error { return r.list('[', ']', "list", element) }

// Decode reads a value into what v points to, as [json.Unmarshal] does. Objects and
// lists are left empty where v has something else there.
func (r *Reader) Decode(v any) error {
	r.value, r.elements = r.value[:0], 0
	if err := r.keepValue(r.shapeOf(reflect.TypeOf(v))); err != nil {
		return err
	}
	return json.Unmarshal(r.value, v)
}

// Member reads the value of a member into the field of that name in the struct that v
// points to, and skips it where there is no such field.
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

// Size is about how many bytes the last value takes that Decode or Member has kept.
func (r *Reader) Size() int { return len(r.value) + elementSize*r.elements }

// End requires that nothing follows.
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

// next returns the first byte of what follows, and leaves it there.
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

// buffered returns some of what follows, a byte at least.
func (r *Reader) buffered() ([]byte, error) {
	if _, err := r.from.Peek(1); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return r.from.Peek(r.from.Buffered())
}

// discard takes bytes that are buffered.
func (r *Reader) discard(n int) {
	n, _ = r.from.Discard(n)
	r.at += int64(n)
}

// expect takes a byte.
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

// list reads what stands between two brackets, divided by commas.
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

// name reads the name of a member, and the colon behind it.
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
