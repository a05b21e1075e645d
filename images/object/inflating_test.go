package object

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestInflating reads no more of a compressed section than is asked for, and no more
// than it has, whatever it claims.
func TestInflating(t *testing.T) {
	const there = 3*growth + 100
	all := bytes.Repeat([]byte("0123456789"), there/10+1)[:there]
	for _, c := range []struct {
		off, n, read int
		err          error
	}{
		{10, 20, growth, nil},
		{growth - 5, 10, 2 * growth, nil},
		{0, growth, growth, nil},
		{3, 3 * growth, there, nil},
		{there - 10, 10, there, nil},
		{there - 10, 20, there, io.ErrUnexpectedEOF},
		{2 * there, 1, there, io.ErrUnexpectedEOF},
	} {
		r := bytes.NewReader(all)
		budget := NewBudget(1<<30, 1<<30)
		s := Packed{From: there, To: 2 * there, Budget: budget}.Inflating(r)
		for range 2 { // what is there already is not read again
			b := make([]byte, c.n)
			n, err := s.ReadAt(b, int64(c.off))
			if !errors.Is(err, c.err) || err == nil && n != c.n || !bytes.HasPrefix(all[min(c.off, there):], b[:n]) {
				t.Errorf("%+v: %d bytes, %v", c, n, err)
			}
		}
		if got := there - r.Len(); got != c.read {
			t.Errorf("%+v: %d bytes were read", c, got)
		}
		if !budget.Keep(1<<30-uint64(s.length)) || budget.Keep(1) {
			t.Errorf("%+v: the budget has not what %d bytes leave", c, s.length)
		}
	}
	s := Packed{From: there, To: there, Budget: NewBudget(growth, 1)}.Inflating(bytes.NewReader(all))
	if n, err := s.ReadAt(make([]byte, 10), growth-5); n != 5 || !errors.Is(err, ErrBudget) {
		t.Errorf("beyond the budget: %d bytes, %v", n, err)
	}
	for _, off := range []int64{-1, there + 1} {
		if n, err := s.ReadAt(make([]byte, 1), off); n != 0 || err != io.EOF {
			t.Errorf("at %d: %d bytes, %v", off, n, err)
		}
	}
}
