// Package jsonstream writes JSON documents in parts.
package jsonstream

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// Stream writes a JSON document in parts. The buffer keeps the first error for Flush.
type Stream struct {
	Out    *bufio.Writer
	number []byte
}

func New(w io.Writer) Stream {
	return Stream{Out: bufio.NewWriterSize(w, 64<<10)}
}

// Text writes a part unchanged.
func (s *Stream) Text(part string) { _, _ = s.Out.WriteString(part) }

// Value writes a value, whose type json.Marshal must not fail on.
func (s *Stream) Value(v any) {
	encoded, _ := json.Marshal(v) // of types that cannot fail
	_, _ = s.Out.Write(encoded)
}

// Opened writes an object without its closing brace, and a comma.
func (s *Stream) Opened(v any) {
	encoded, _ := json.Marshal(v) // of types that cannot fail
	_, _ = s.Out.Write(encoded[:len(encoded)-1])
	s.Text(",")
}

func (s *Stream) Integer(n int64) {
	s.number = strconv.AppendInt(s.number[:0], n, 10)
	_, _ = s.Out.Write(s.number)
}

func (s *Stream) Float(x float64) {
	s.number = strconv.AppendFloat(s.number[:0], x, 'f', -1, 64)
	_, _ = s.Out.Write(s.number)
}

// Separate writes a comma, unless i is 0.
func (s *Stream) Separate(i int) {
	if i > 0 {
		_ = s.Out.WriteByte(',')
	}
}

// Column writes a member with a list of n elements.
func (s *Stream) Column(name string, n int, element func(i int)) {
	s.Value(name)
	s.Text(":[")
	for i := range n {
		s.Separate(i)
		element(i)
	}
	s.Text("]")
}

// Same returns a function for [Stream.Column] that writes the same element in each row.
func (s *Stream) Same(element string) func(int) {
	return func(int) { s.Text(element) }
}

// OrNull writes a number, or null if it is negative.
func (s *Stream) OrNull(n int) {
	if n < 0 {
		s.Text("null")
		return
	}
	s.Integer(int64(n))
}
