package object

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
)

// growth is by how many bytes an [Inflating] section grows.
const growth = 256 << 10

// Inflating is a section that is decompressed as far as it is read: the unit that an
// address is in is often near the beginning of a large file. It is used by one
// goroutine at a time.
type Inflating struct {
	r      io.Reader
	size   int64 // as claimed
	budget *Budget
	pieces [][]byte // of growth, but for the last
	length int64    // of all
	err    error    // there is no more
}

// NewInflating reads what a decompressor gives, of which size bytes are claimed. What
// is kept of it is in the budget for good.
func NewInflating(r io.Reader, size uint64, b *Budget) *Inflating {
	return &Inflating{r: r, size: int64(size), budget: b}
}

// Size is how many bytes there are to be.
func (s *Inflating) Size() int64 { return s.size }

// ReadAt implements [io.ReaderAt]. The error is of the decompressor, or wraps
// [ErrBudget].
func (s *Inflating) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off > s.size {
		return 0, io.EOF
	}
	end := min(off+int64(len(p)), s.size)
	for s.length < end && s.err == nil {
		s.err = s.grow()
	}
	for n < len(p) && off < s.length {
		got := copy(p[n:], s.pieces[off/growth][off%growth:])
		n, off = n+got, off+int64(got)
	}
	if n < len(p) {
		err = cmp.Or(s.err, io.EOF)
	}
	return n, err
}

func (s *Inflating) grow() error {
	size := min(growth, s.size-s.length)
	if !s.budget.Keep(uint64(size)) {
		return ErrBudget
	}
	piece := make([]byte, size)
	n, err := io.ReadFull(s.r, piece)
	s.pieces = append(s.pieces, piece[:n])
	s.length += int64(n)
	s.budget.Return(uint64(len(piece) - n))
	return err
}

var errNoZLIB = errors.New("a zdebug section does not begin with ZLIB and a size")

// OpenGNU decompresses what GNU's tools, and Go's for macOS, put into sections with
// zdebug in their name: "ZLIB", the size as eight bytes big-endian, and a zlib stream.
// The size is what is claimed.
func OpenGNU(r io.Reader) (z io.Reader, size uint64, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || !bytes.HasPrefix(head[:], []byte("ZLIB")) {
		return nil, 0, errNoZLIB
	}
	z, err = zlib.NewReader(r)
	return z, binary.BigEndian.Uint64(head[4:]), err
}
