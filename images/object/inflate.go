package object

import (
	"bytes"
	"errors"
	"io"
)

// ErrBudget means that the files have together exceeded the budget.
var ErrBudget = errors.New("left out: the tables of all files together are too large")

// ErrLeftOut means that a section was left out, for a reason that [LeftOut] has.
var ErrLeftOut = errors.New("left out")

// inflatePiece is how many bytes are decompressed at once.
const inflatePiece = 1 << 20

// Inflate reads all of r, at most most bytes, and takes their actual size from the
// memory budget.
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
