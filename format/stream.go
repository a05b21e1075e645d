package format

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// jsonStream writes a JSON document part by part. The buffer keeps the first error, for
// Flush.
type jsonStream struct {
	out    *bufio.Writer
	number []byte
}

func newJSONStream(w io.Writer) jsonStream {
	return jsonStream{out: bufio.NewWriterSize(w, 64<<10)}
}

// text writes a part as it is.
func (s *jsonStream) text(part string) { _, _ = s.out.WriteString(part) }

// value writes anything of ours.
func (s *jsonStream) value(v any) {
	encoded, _ := json.Marshal(v) // of types that cannot fail
	_, _ = s.out.Write(encoded)
}

// opened writes an object of ours to which more is added.
func (s *jsonStream) opened(v any) {
	encoded, _ := json.Marshal(v) // of types that cannot fail
	_, _ = s.out.Write(encoded[:len(encoded)-1])
	s.text(",")
}

func (s *jsonStream) integer(n int64) {
	s.number = strconv.AppendInt(s.number[:0], n, 10)
	_, _ = s.out.Write(s.number)
}

func (s *jsonStream) float(x float64) {
	s.number = strconv.AppendFloat(s.number[:0], x, 'f', -1, 64)
	_, _ = s.out.Write(s.number)
}

// separate writes a comma before all elements of a list but the first.
func (s *jsonStream) separate(i int) {
	if i > 0 {
		_ = s.out.WriteByte(',')
	}
}

// column writes a list of what a table has of each of n things.
func (s *jsonStream) column(name string, n int, element func(i int)) {
	s.value(name)
	s.text(":[")
	for i := range n {
		s.separate(i)
		element(i)
	}
	s.text("]")
}

// same is an element that is the same of each.
func (s *jsonStream) same(element string) func(int) {
	return func(int) { s.text(element) }
}

// orNull writes a number, or null where it is negative.
func (s *jsonStream) orNull(n int) {
	if n < 0 {
		s.text("null")
		return
	}
	s.integer(int64(n))
}
