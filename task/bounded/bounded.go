// Package bounded limits how much is read from servers and other programs.
package bounded

import (
	"errors"
	"io"
)

// ErrTooLong means that more bytes arrived than are allowed.
var ErrTooLong = errors.New("more came than may")

// Buffer keeps the first Limit bytes that are written to it, and fails with
// [ErrTooLong] on the next, so that its writer stops. It must not embed bytes.Buffer:
// io.Copy and os/exec would call the promoted ReadFrom instead of Write.
type Buffer struct {
	Limit int
	kept  []byte
	full  bool
}

// Write implements [io.Writer].
func (b *Buffer) Write(p []byte) (int, error) {
	n := min(len(p), b.Limit-len(b.kept))
	b.kept = append(b.kept, p[:n]...)
	if n < len(p) {
		b.full = true
		return n, ErrTooLong
	}
	return n, nil
}

// Bytes returns what was kept.
func (b *Buffer) Bytes() []byte { return b.kept }

// String returns what was kept.
func (b *Buffer) String() string { return string(b.kept) }

// Overflowed reports whether more was written than was kept.
func (b *Buffer) Overflowed() bool { return b.full }

// Reader reads at most Left more bytes, and fails with [ErrTooLong] if there are
// more.
type Reader struct {
	From io.Reader
	Left int64
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	if int64(len(p)) > r.Left+1 {
		p = p[:r.Left+1]
	}
	n, err := r.From.Read(p)
	if int64(n) > r.Left {
		n, err = int(r.Left), ErrTooLong
	}
	r.Left -= int64(n)
	return n, err
}
