package object

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// numbered gives bytes that tell where they are.
type numbered struct{ at int64 }

func (r *numbered) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.at ^ r.at>>8 ^ r.at>>16)
		r.at++
	}
	return len(p), nil
}

// TestSpilled reads a section that is too large for the memory, there and back.
func TestSpilled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const size = 3*maxInMemory + 123
	b, left := NewBudget(0, 0), new(LeftOut) // nothing may be kept
	s := Packed{From: size / 10, To: size, Budget: b, LeftOut: left}.Inflating(&numbered{})
	other := Packed{From: size / 10, To: size, Budget: b, LeftOut: left}.Inflating(&numbered{at: 7})
	for _, off := range []int64{100, growth - 50, maxInMemory, 5, size - 200, growth - 50} {
		got, want := make([]byte, 100), make([]byte, 100)
		_, _ = (&numbered{at: off}).Read(want)
		if n, err := s.ReadAt(got, off); n != 100 || err != nil || !bytes.Equal(got, want) {
			t.Errorf("at %d: %d bytes, %v, or others", off, n, err)
		}
		_, _ = (&numbered{at: off + 7}).Read(want)
		if n, err := other.ReadAt(got, off); n != 100 || err != nil || !bytes.Equal(got, want) {
			t.Errorf("other at %d: %d bytes, %v, or others", off, n, err)
		}
	}
	if n, err := s.ReadAt(make([]byte, 100), size-50); n != 50 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
	if line := left.Line(); line != "" {
		t.Errorf("left out: %s", line)
	}
}

// TestLeftOut has what is not read told, and why.
func TestLeftOut(t *testing.T) {
	const large = 5 << 30
	broken := func() io.Reader { return io.MultiReader(io.LimitReader(&numbered{}, 100), &failing{}) }
	for _, c := range []struct {
		r      io.Reader
		packed Packed
		most   int64
		tmp    string
		want   string
	}{
		{&numbered{}, Packed{From: 1 << 20, To: 100 << 20}, MaxSpilled, "", "(100 MB inflated) is not read: 1 MB in the file do not hold as much"},
		{&numbered{}, Packed{From: large / 10, To: large}, MaxSpilled, "", "(5120 MB inflated) is not read: limit 4096 MB"},
		{&numbered{}, Packed{From: 1 << 20, To: 10 << 20}, growth, "", "(10 MB inflated) is not read: limit 4 GB for all files together"},
		{&numbered{}, Packed{From: 1 << 20, To: 10 << 20}, MaxSpilled, "/no such directory", "(10 MB inflated) is not read: open /no such directory"},
		{broken(), Packed{From: 1 << 10, To: 1 << 12}, MaxSpilled, "", "(1 MB inflated) is not read: cannot be decompressed: it is broken"},
	} {
		if c.tmp == "" {
			c.tmp = t.TempDir()
		}
		t.Setenv("TMPDIR", c.tmp)
		b := NewBudget(1<<30, 1<<30)
		b.spill.most = c.most
		c.packed.File, c.packed.Name, c.packed.Budget, c.packed.LeftOut = "libshop.so", ".debug_info", b, new(LeftOut)
		s := c.packed.Inflating(c.r)
		for range 2 {
			if _, err := s.ReadAt(make([]byte, 10), min(s.Size(), 2*growth, int64(c.packed.To)/2)); err == nil {
				t.Errorf("%q: no error", c.want)
			}
		}
		line := c.packed.LeftOut.Line()
		if !strings.HasPrefix(line, "libshop.so: .debug_info "+c.want) || !strings.HasSuffix(line, "; functions are named from the symbol table, without lines") {
			t.Errorf("left out: %q, want %q", line, c.want)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("it is broken") }

// TestWhole keeps no section in the memory that is too large for it or cannot be.
func TestWhole(t *testing.T) {
	for _, p := range []Packed{{From: 1 << 20, To: 65 << 20}, {From: 1 << 30, To: 101 << 20}} {
		p.Budget, p.LeftOut = NewBudget(1<<30, 1<<30), new(LeftOut)
		if got, err := p.Whole(&numbered{}, 100<<20); got != nil || !errors.Is(err, ErrLeftOut) || p.LeftOut.Line() == "" {
			t.Errorf("%+v: %d bytes, %v, %q", p, len(got), err, p.LeftOut.Line())
		}
	}
	p := Packed{From: 10, To: 100, Budget: NewBudget(1<<30, 1<<30)}
	if got, err := p.Whole(io.LimitReader(&numbered{}, 100), 1<<20); len(got) != 100 || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestLeftOutLine tells of one section and counts the others.
func TestLeftOutLine(t *testing.T) {
	var l LeftOut
	for i := range 2 * maxLeftOut {
		l.Add("line " + strings.Repeat("x", i))
		l.Add("line ")
	}
	if got, want := l.Line(), "line ; nor are 99 more of its sections"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
