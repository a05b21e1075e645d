package bounded

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// endless never ends, and counts what was taken of it.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.n += int64(len(p))
	return len(p), nil
}

// WriteTo has io.Copy give all of it in one loop, as os/exec's pipes do.
type writerTo struct{ endless }

func (e *writerTo) WriteTo(w io.Writer) (n int64, err error) {
	for err == nil {
		var m int
		m, err = w.Write(make([]byte, 1000))
		n += int64(m)
		e.n += int64(m)
	}
	return n, err
}

// TestAnEndlessWriter ends, whichever way it is copied.
func TestAnEndlessWriter(t *testing.T) {
	for name, from := range map[string]io.Reader{"read": &endless{}, "written": &writerTo{}} {
		b := &Buffer{Limit: 10_001}
		if n, err := io.Copy(b, from); !errors.Is(err, ErrTooLong) || n > 10_001 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if len(b.Bytes()) != 10_001 || !b.Overflowed() || cap(b.Bytes()) > 1<<16 {
			t.Errorf("%s: %d bytes of %d are kept", name, len(b.Bytes()), cap(b.Bytes()))
		}
	}
	if _, ok := any(&Buffer{}).(io.ReaderFrom); ok {
		t.Error("what is copied does not go through Write")
	}
}

// TestExactly: as many bytes as may come are no error.
func TestExactly(t *testing.T) {
	b := &Buffer{Limit: 4}
	for _, text := range []string{"ab", "", "cd", ""} {
		if n, err := io.WriteString(b, text); err != nil || n != len(text) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if b.String() != "abcd" || b.Overflowed() {
		t.Errorf("%q", b)
	}
	if n, err := b.Write([]byte("e")); n != 0 || !errors.Is(err, ErrTooLong) || b.String() != "abcd" {
		t.Errorf("%d, %v, %q", n, err, b)
	}
}

// TestReader ends where there is more, and only there.
func TestReader(t *testing.T) {
	for left, want := range map[int64]error{0: ErrTooLong, 3: ErrTooLong, 4: nil, 5: nil} {
		for _, from := range []io.Reader{strings.NewReader("abcd"), iotest.OneByteReader(strings.NewReader("abcd")), iotest.DataErrReader(strings.NewReader("abcd"))} {
			b, err := io.ReadAll(&Reader{From: from, Left: left})
			if !errors.Is(err, want) || string(b) != "abcd"[:min(4, left)] {
				t.Errorf("%d: %q, %v", left, b, err)
			}
		}
	}
	e := &endless{}
	var kept bytes.Buffer
	if _, err := io.Copy(&kept, &Reader{From: e, Left: 1 << 20}); !errors.Is(err, ErrTooLong) || kept.Len() != 1<<20 || e.n > 2<<20 {
		t.Errorf("%d of %d, %v", kept.Len(), e.n, err)
	}
}
