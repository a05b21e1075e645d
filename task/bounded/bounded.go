// Package bounded keeps what comes from others, a server above all, within bounds.
package bounded

import (
	"errors"
	"io"
)

// ErrTooLong says that more came than may.
var ErrTooLong = errors.New("more came than may")

// Buffer keeps the start of what is written to it, and fails with [ErrTooLong] on what is
// more, so that its writer ends. It embeds nothing: a promoted ReadFrom would be used
// instead of Write (io.Copy, os/exec).
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

// Bytes is what was kept.
func (b *Buffer) Bytes() []byte { return b.kept }

// String is what was kept.
func (b *Buffer) String() string { return string(b.kept) }

// Overflowed reports whether there was more than was kept.
func (b *Buffer) Overflowed() bool { return b.full }

// Reader reads at most as many bytes as are left, and fails with [ErrTooLong] where there
// are more.
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
