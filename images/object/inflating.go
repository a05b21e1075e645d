package object

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// growth is how many bytes of an [Inflating] section are decompressed at once.
const growth = 256 << 10

// A section larger than maxInMemory is kept in a temporary file. One that claims to
// be larger than that and to be compressed by more than maxRatio is rejected:
// debugging information compresses to a third or a tenth.
const (
	maxInMemory = 2 << 20 // bytes
	maxRatio    = 64
)

// Packed is a compressed section: its origin, for the report, its sizes as the file
// claims them, and the budget.
type Packed struct {
	File, Name string
	From, To   uint64 // compressed and decompressed size, in bytes
	Budget     *Budget
	LeftOut    *LeftOut
}

// check returns an error if the compression is implausible or the size exceeds most.
func (p Packed) check(most uint64) error {
	if p.To > maxInMemory && p.To/maxRatio > p.From {
		return fmt.Errorf("%s in the file do not hold as much", megabytes(p.From))
	}
	if p.To > most {
		return fmt.Errorf("limit %s", megabytes(most))
	}
	return nil
}

// leftOut returns the line of the report for a section that is not read.
func (p Packed) leftOut(why error) string {
	return fmt.Sprintf("%s: %s (%s inflated) is not read: %v", cmp.Or(p.File, "a file"), p.Name, megabytes(p.To), why)
}

func megabytes(n uint64) string { return fmt.Sprintf("%d MB", (n+1<<20-1)>>20) }

// Inflating is a section that is decompressed only as far as it is read: the unit
// that contains an address is often near the start of a large file. It is for one
// goroutine at a time.
type Inflating struct {
	Packed
	r      io.Reader
	pieces []piece // of growth bytes, except the last
	length int64   // of all pieces, in bytes
	err    error   // why there are no more pieces
}

// piece is a part of a section, in memory or in the temporary file.
type piece struct {
	data []byte // nil: in the file
	at   int64
	size int
}

// Inflating returns a section that decompresses r on demand. The bytes kept stay in
// the budget.
func (p Packed) Inflating(r io.Reader) *Inflating {
	s := &Inflating{Packed: p, r: r}
	if err := p.check(MaxSpilled); err != nil {
		s.stop(err)
		s.To = 0
	}
	return s
}

// Size returns the section's decompressed size in bytes, as claimed.
func (s *Inflating) Size() int64 { return int64(s.To) }

// stop ends the section at its current length.
func (s *Inflating) stop(why error) {
	s.err = ErrLeftOut
	s.LeftOut.Add(s.leftOut(why) + "; functions are named from the symbol table, without lines")
}

// ReadAt implements [io.ReaderAt]. The error is the decompressor's, or wraps
// [ErrBudget] or [ErrLeftOut].
func (s *Inflating) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off > s.Size() {
		return 0, io.EOF
	}
	end := min(off+int64(len(p)), s.Size())
	for s.length < end && s.err == nil {
		s.grow()
	}
	for n < len(p) && off < s.length {
		got, err := s.read(p[n:], off)
		if n, off = n+got, off+int64(got); err != nil {
			return n, err
		}
	}
	if n < len(p) {
		err = cmp.Or(s.err, io.EOF)
	}
	return n, err
}

// read reads from the piece that contains off.
func (s *Inflating) read(p []byte, off int64) (int, error) {
	from, skip := s.pieces[off/growth], off%growth
	if from.data != nil {
		return copy(p, from.data[skip:]), nil
	}
	p = p[:min(len(p), from.size-int(skip))]
	return s.Budget.spill.file.ReadAt(p, from.at+skip)
}

// grow decompresses the next piece.
func (s *Inflating) grow() {
	size := min(growth, s.Size()-s.length)
	inMemory := s.Size() <= maxInMemory || s.Budget == nil
	if inMemory && !s.Budget.Keep(uint64(size)) {
		s.err = ErrBudget
		return
	}
	b := make([]byte, size)
	n, err := io.ReadFull(s.r, b)
	if err != nil {
		s.stop(fmt.Errorf("cannot be decompressed: %w", err))
		s.err = err
	}
	next := piece{data: b[:n], size: n}
	if inMemory {
		s.Budget.Return(uint64(len(b) - n))
	} else if next.at, err = s.Budget.spill.append(b[:n]); err != nil {
		s.stop(err)
		return
	} else {
		next.data = nil
	}
	s.pieces = append(s.pieces, next)
	s.length += int64(n)
}

// Whole decompresses a whole section into memory. It fails if the section has more than most bytes, or
// exceeds the budget.
func (p Packed) Whole(r io.Reader, most int) ([]byte, error) {
	if err := p.check(uint64(most)); err != nil {
		p.LeftOut.Add(p.leftOut(err))
		return nil, ErrLeftOut
	}
	return p.Budget.Inflate(r, most)
}

var errNoZLIB = errors.New("a zdebug section does not begin with ZLIB and a size")

// OpenGNU returns a decompressor for sections with zdebug in their name, as written
// by GNU's tools and by Go's for macOS: "ZLIB", the size as eight bytes big-endian,
// and a zlib stream. size is what the section claims.
func OpenGNU(r io.Reader) (z io.Reader, size uint64, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || !bytes.HasPrefix(head[:], []byte("ZLIB")) {
		return nil, 0, errNoZLIB
	}
	z, err = zlib.NewReader(r)
	return z, binary.BigEndian.Uint64(head[4:]), err
}
