package macho

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"stacksnap/images/object"
)

// cost is what a file has taken of the budget that it shares with others.
type cost struct {
	budget     *object.Budget // may be nil
	kept, read atomic.Int64   // bytes
}

// Limit has the file share a budget, and its file on the disk with it. It is called
// before anything is asked.
func (f *File) Limit(b *object.Budget) { f.cost.budget = b }

// Keep reports whether n bytes more of the file may be kept by others, until it is
// closed.
func (f *File) Keep(n uint64) bool { return f.cost.keep(n) }

// keep reports whether n bytes more may be kept.
func (c *cost) keep(n uint64) bool {
	if !c.budget.Keep(n) {
		return false
	}
	c.kept.Add(int64(n))
	return true
}

// drop gives back what was to be kept, and is not.
func (c *cost) drop(n uint64) {
	c.budget.Return(n)
	c.kept.Add(-int64(n))
}

// take reports whether n bytes more may be read.
func (c *cost) take(n uint64) bool {
	if !c.budget.Read(n) {
		return false
	}
	c.read.Add(int64(n))
	return true
}

// end gives back all: a process that is watched may load another library in the
// place of the file.
func (c *cost) end() {
	c.budget.Return(uint64(c.kept.Swap(0)))
	c.budget.Release(uint64(c.read.Swap(0)))
}

// readKept reads size bytes through read, which is given the position, and keeps
// them: no more than there are, and than may be kept.
func (c *cost) readKept(size uint64, read func(p []byte, at uint64) (int, error)) ([]byte, error) {
	var kept uint64
	b, err := readAll(size, func(p []byte, at uint64) (int, error) {
		n, err := read(p, at)
		if !c.keep(uint64(n)) {
			return 0, object.ErrBudget
		}
		kept += uint64(n)
		return n, err
	})
	if err != nil {
		c.drop(kept)
	}
	return b, err
}

// readPieces reads size bytes through read, which is given the position, and gives
// them to yield in pieces of whole entries, the first of them small. It returns false
// where they could not all be read, or yield did.
func (c *cost) readPieces(size, entry uint64, read func(p []byte, at uint64) (int, error), yield func([]byte) bool) bool {
	const first, most = 1 << 8, 1 << 15 // entries
	piece := make([]byte, min(size, first*entry))
	for at := uint64(0); at < size; {
		piece = piece[:min(uint64(len(piece)), size-at)]
		if !c.take(uint64(len(piece))) {
			return false
		}
		if !readFull(piece, at, read) || !yield(piece) {
			return false
		}
		if at += uint64(len(piece)); uint64(cap(piece)) < most*entry {
			piece = make([]byte, 2*len(piece))
		}
	}
	return true
}

// readFull reads all of p, from position at on.
func readFull(p []byte, at uint64, read func(p []byte, at uint64) (int, error)) bool {
	for len(p) > 0 {
		n, err := read(p, at)
		if n == 0 || n < len(p) && err != nil {
			return false
		}
		p, at = p[n:], at+uint64(n)
	}
	return true
}

// inflated decompresses a section, and keeps it.
func (c *cost) inflated(p object.Packed, r io.Reader) ([]byte, error) {
	b, err := p.Whole(r, maxInflated)
	c.kept.Add(int64(len(b)))
	if errors.Is(err, object.ErrBudget) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("compressed section: %w: %w", object.ErrNoSection, err)
	}
	return b, nil
}
