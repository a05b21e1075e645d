package object

import "sync/atomic"

// Budget limits what the files of a process may cost together, whatever each of them
// claims: a file of 16 KB can declare tables of gigabytes. What exceeds it is left
// out. A nil Budget has no limit. It is safe for concurrent use.
type Budget struct {
	keep, read atomic.Int64 // bytes left
	files      atomic.Int64 // files that may still be opened
	reached    atomic.Bool
	spill      spill
}

// Enough for a browser with all its symbols.
const (
	MaxKept = 512 << 20 // bytes
	MaxRead = 1 << 30   // bytes
	MaxOpen = 512       // files beside the images and their debug files
)

// NewBudget returns a budget of keep bytes to keep in memory and read bytes to read.
func NewBudget(keep, read int64) *Budget {
	b := new(Budget)
	b.keep.Store(keep)
	b.read.Store(read)
	b.files.Store(MaxOpen)
	b.spill.most = MaxSpilled
	return b
}

// Keep takes n bytes from the memory budget. It reports false if they exceed it.
func (b *Budget) Keep(n uint64) bool { return b == nil || b.take(&b.keep, n) }

// Read takes n bytes from the reading budget. It reports false if they exceed it.
func (b *Budget) Read(n uint64) bool { return b == nil || b.take(&b.read, n) }

// Open takes one file from the budget of auxiliary files. It reports false if none is
// left.
func (b *Budget) Open() bool {
	if b == nil || b.files.Add(-1) >= 0 {
		return true
	}
	b.files.Add(1)
	return false
}

// Closed returns one file, taken by Open, to the budget.
func (b *Budget) Closed() {
	if b != nil {
		b.files.Add(1)
	}
}

// Return returns n bytes to the memory budget that Keep took and that were not kept.
func (b *Budget) Return(n uint64) {
	if b != nil {
		b.keep.Add(int64(n))
	}
}

// Release returns n bytes to the reading budget after a file was dropped.
func (b *Budget) Release(n uint64) {
	if b != nil {
		b.read.Add(int64(n))
	}
}

func (b *Budget) take(from *atomic.Int64, n uint64) bool {
	for {
		left := from.Load()
		if n > uint64(max(left, 0)) {
			b.reached.Store(true)
			return false
		}
		if from.CompareAndSwap(left, left-int64(n)) {
			return true
		}
	}
}

// Reached reports whether anything was left out.
func (b *Budget) Reached() bool { return b != nil && b.reached.Load() }
