package output

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestCompressionOf(t *testing.T) {
	for name, want := range map[string]struct {
		compression Compression
		rest        string
	}{
		"a": {Plain, "a"}, "a.gz": {Gzip, "a"}, "a.json.zst": {Zstd, "a.json"}, "a.gz.zst": {Zstd, "a.gz"}, ".gz": {Gzip, ""}, "agz": {Plain, "agz"},
	} {
		if c, rest := CompressionOf(name); c != want.compression || rest != want.rest {
			t.Errorf("%s: %q, %q", name, c, rest)
		}
	}
}

// TestCompressed is read back by each one's own reader.
func TestCompressed(t *testing.T) {
	want := strings.Repeat("main;read 12\n", 100_000)
	for c, open := range map[Compression]func(io.Reader) (io.Reader, error){
		Plain: func(r io.Reader) (io.Reader, error) { return r, nil },
		Gzip:  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		Zstd:  func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		var b bytes.Buffer
		if err := c.Write(&b, text(want)); err != nil {
			t.Fatal(err)
		}
		if size := b.Len(); (size < len(want)/10) != (c != Plain) {
			t.Errorf("%q: %d bytes", c, size)
		}
		r, err := open(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%q: %d bytes, %v", c, len(got), err)
		}
	}
}

// TestCompressedErrors of either side come through.
func TestCompressedErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []Compression{Plain, Gzip, Zstd} {
		if err := c.Write(io.Discard, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("%q: %v", c, err)
		}
		r, w := io.Pipe()
		r.CloseWithError(broken)
		if err := c.Write(w, text("x")); !errors.Is(err, broken) {
			t.Errorf("%q: %v", c, err)
		}
	}
}
