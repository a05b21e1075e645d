package elf

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// counted counts how often a table is read, and refuses what is above a bound.
type counted struct {
	io.ReaderAt
	reads int
	bound int64
}

var errRefused = errors.New("refused")

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	c.reads++
	if c.bound > 0 && off+int64(len(b)) > c.bound {
		n, _ := c.ReaderAt.ReadAt(b[:max(0, c.bound-off)], off)
		return n, errRefused
	}
	return c.ReaderAt.ReadAt(b, off)
}

// TestNamePages: what is read is the same as of the table itself, at every
// offset and over its end.
func TestNamePages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, namePage - 1, namePage, namePage + 1, 80 * namePage} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		table := bytes.NewReader(b)
		p := &namePages{table: table}
		for range 2000 {
			off := int64(random.IntN(size + 2))
			want, got := make([]byte, random.IntN(2*namePage)), []byte(nil)
			n, err := table.ReadAt(want, off)
			got = make([]byte, len(want))
			m, gotErr := p.ReadAt(got, off)
			if m != n || !bytes.Equal(got[:m], want[:n]) || (err != nil) != (gotErr != nil) && len(want) > 0 {
				t.Fatalf("%d of %d at %d: %d, %v; want %d, %v", len(want), size, off, m, gotErr, n, err)
			}
			if len(p.pages) > maxNamePages {
				t.Fatalf("%d pages are kept", len(p.pages))
			}
		}
	}
	if _, err := (&namePages{table: bytes.NewReader(nil)}).ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a negative offset is read")
	}
}

func TestNamePagesAreReadOnce(t *testing.T) {
	c := &counted{ReaderAt: bytes.NewReader(make([]byte, 3*namePage))}
	p := &namePages{table: c}
	for off := range int64(2 * namePage) {
		if n, err := p.ReadAt(make([]byte, 256), off); n != 256 || err != nil {
			t.Fatal(n, err)
		}
	}
	if c.reads != 3 {
		t.Errorf("read %d times", c.reads)
	}
	c.bound = namePage / 2 // what fails is not kept
	p = &namePages{table: c}
	for range 2 {
		if n, err := p.ReadAt(make([]byte, namePage), 0); n != namePage/2 || !errors.Is(err, errRefused) {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}
