package object

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// TestInflate counts what comes as it grows, and gives it back where it is not kept.
func TestInflate(t *testing.T) {
	const size = 5*inflatePiece + 1
	for _, c := range []struct {
		keep int64
		most int
		err  error
	}{
		{6 * inflatePiece, size, nil}, {5 * inflatePiece, size, ErrBudget}, {6 * inflatePiece, 5 * inflatePiece, io.ErrUnexpectedEOF},
	} {
		b := NewBudget(c.keep, 0)
		got, err := b.Inflate(bytes.NewReader(make([]byte, size)), c.most)
		if !errors.Is(err, c.err) || (err == nil) != (len(got) == size) {
			t.Errorf("%+v: %d bytes, %v", c, len(got), err)
		}
		if left := c.keep - int64(len(got)); !b.Keep(uint64(left)) || b.Keep(1) {
			t.Errorf("%+v: not %d are left", c, left)
		}
	}
	b := NewBudget(2*inflatePiece, 0)
	broken := io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(io.ErrNoProgress))
	if got, err := b.Inflate(broken, size); err != io.ErrNoProgress || got != nil || !b.Keep(2*inflatePiece) {
		t.Errorf("%d bytes of a broken stream, %v", len(got), err)
	}
}
