// Package unpack limits how much a stream may decompress to in relation to its size:
// three megabytes of deflate can expand to three gigabytes, which take time to read
// and memory to keep.
package unpack

import (
	"errors"
	"io"
)

// The limit of a decompressed stream: a base, and a number of bytes for each
// compressed byte. Our reports, profiles and stackshots have ratios of 10 to 60.
const (
	free  = 64 << 20
	ratio = 256
)

// ErrBomb means that a stream decompresses to more than any legitimate one.
var ErrBomb = errors.New("it unpacks to over 256 times its size")

// Packed counts the bytes that a decompressor reads.
type Packed struct {
	from  io.Reader
	taken int64
}

// New returns the stream for a decompressor to read from.
func New(from io.Reader) *Packed { return &Packed{from: from} }

// Read implements [io.Reader].
func (p *Packed) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.taken += int64(n)
	return n, err
}

// Bound returns what the decompressor yields, up to the limit, where it fails with
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
