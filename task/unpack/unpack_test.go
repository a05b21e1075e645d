package unpack

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"
)

// TestBound: what is compressed well is read whole, and a bomb up to the bound.
func TestBound(t *testing.T) {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	for _, c := range []struct {
		size int64
		err  error
	}{{free, nil}, {2 * free, ErrBomb}} {
		small.Reset()
		z.Reset(&small)
		if _, err := io.CopyN(z, zeros{}, c.size); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		size := int64(small.Len())
		packed := New(&small)
		r, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, packed.Bound(r))
		if !errors.Is(err, c.err) || c.err == nil && n != c.size {
			t.Errorf("%d bytes: %d were read, %v", c.size, n, err)
		}
		if most := free + ratio*size + 1<<20; n > most {
			t.Errorf("%d bytes of %d were read, of at most %d", n, c.size, most)
		}
	}
}

// TestBoundFollows what came in: a stream that yields as much as it takes has no end.
func TestBoundFollows(t *testing.T) {
	packed := New(io.LimitReader(zeros{}, 2*free))
	if n, err := io.Copy(io.Discard, packed.Bound(packed)); n != 2*free || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
