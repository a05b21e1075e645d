package macho

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"stacksnap/images/object"
)

// cost is what a file has taken from the budget that it shares with others.
type cost struct {
	budget     *object.Budget // may be nil
	kept, read atomic.Int64   // bytes
}

// Limit sets the budget of the file, and of its file on disk. Call it before any
// query.
func (f *File) Limit(b *object.Budget) { f.cost.budget = b }

// Keep takes n bytes for the caller from the file's memory budget, until the file is
// closed. It reports false if they exceed it.
func (f *File) Keep(n uint64) bool { return f.cost.keep(n) }

// keep takes n bytes from the memory budget. It reports false if they exceed it.
func (c *cost) keep(n uint64) bool {
	if !c.budget.Keep(n) {
		return false
	}
	c.kept.Add(int64(n))
	return true
}

// drop returns bytes to the memory budget.
func (c *cost) drop(n uint64) {
	c.budget.Return(n)
	c.kept.Add(-int64(n))
}

// take takes n bytes from the reading budget. It reports false if they exceed it.
func (c *cost) take(n uint64) bool {
	if !c.budget.Read(n) {
		return false
	}
	c.read.Add(int64(n))
	return true
}

// end returns everything to the budget, because a process may load another library in
// this one's place.
func (c *cost) end() {
	c.budget.Return(uint64(c.kept.Swap(0)))
	c.budget.Release(uint64(c.read.Swap(0)))
}

// readKept reads size bytes through read, which gets the position, and takes them
// from the memory budget as they are read.
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

// readPieces reads size bytes through read, which gets the position, and yields them
// in pieces of whole entries, the first of them small. It returns false if some could
// not be read, or yield returned false.
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

// readFull reads all of p, starting at position at.
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

// inflated decompresses a section into memory.
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
