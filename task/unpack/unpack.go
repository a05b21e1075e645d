// Package unpack bounds what decompressing may yield beside what came in: three
// megabytes of deflate can stand for three gigabytes, which take time to read, and
// memory where they are kept.
package unpack

import (
	"errors"
	"io"
)

// What a stream may yield: so much in any case, and so many bytes for each that came
// in. Reports of ours, profiles and stackshots yield 10 to 60.
const (
	free  = 64 << 20
	ratio = 256
)

// ErrBomb says that a stream yields more than any that is not made to.
var ErrBomb = errors.New("it unpacks to over 256 times its size")

// Packed counts what a decompressor takes.
type Packed struct {
	from  io.Reader
	taken int64
}

// New returns the stream that a decompressor is to read from.
func New(from io.Reader) *Packed { return &Packed{from: from} }

// Read implements [io.Reader].
func (p *Packed) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.taken += int64(n)
	return n, err
}

// Bound returns what the decompressor yields, up to the bound; the error there is
// [ErrBomb].
func (p *Packed) Bound(unpacked io.Reader) io.Reader { return &bounded{unpacked, p, 0} }

type bounded struct {
	from    io.Reader
	packed  *Packed
	yielded int64
}

func (u *bounded) Read(b []byte) (int, error) {
	if u.yielded > free+ratio*u.packed.taken {
		return 0, ErrBomb
	}
	n, err := u.from.Read(b)
	u.yielded += int64(n)
	return n, err
}
