package object

import (
	"bytes"
	"errors"
	"io"
)

// ErrBudget says that the files have cost too much together.
var ErrBudget = errors.New("left out: the tables of all files together are too large")

// ErrLeftOut says that a section was left out, for a reason that [LeftOut] has.
var ErrLeftOut = errors.New("left out")

// inflatePiece is by how many bytes a section grows as it is decompressed.
const inflatePiece = 1 << 20

// Inflate reads what a decompressor gives, to be kept: its size is what comes, not
// what is claimed, and below most.
func (b *Budget) Inflate(r io.Reader, most int) ([]byte, error) {
	var all bytes.Buffer
	for {
		err := ErrBudget
		if b.Keep(inflatePiece) {
			var n int64
			n, err = io.CopyN(&all, r, inflatePiece)
			b.Return(uint64(inflatePiece - n))
		}
		switch {
		case err == io.EOF:
			return all.Bytes(), nil
		case err == nil && all.Len() >= most:
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			b.Return(uint64(all.Len()))
			return nil, err
		}
	}
}
