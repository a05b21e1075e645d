package words

import (
	"bytes"
	"testing"
)

// TestASCII: nothing else is left, wherever the text is cut into pieces.
func TestASCII(t *testing.T) {
	const text = "for 412 µs … f(…)\n\x1b[1mé日\U0001f600\x1b[0m \xff\\ end\n"
	const want = "for 412 us ... f(...)\n\x1b[1m\\u00e9\\u65e5\\U0001f600\x1b[0m \\xff\\ end\n"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		w := asciiWriter{to: &b}
		for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			piece := rest[:min(size, len(rest))]
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		if b.String() != want {
			t.Errorf("in pieces of %d bytes: %q, want %q", size, b.String(), want)
		}
	}
}
