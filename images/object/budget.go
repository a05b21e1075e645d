package object

import "sync/atomic"

// Budget bounds what the files of a process may cost together, whatever each of
// them claims: a file of 16 KB on the disk can have tables of gigabytes. What is
// beyond it is left out. A nil Budget has no bound. It is safe for concurrent use.
type Budget struct {
	keep, read atomic.Int64 // bytes that are left
	files      atomic.Int64 // that may be opened still
	reached    atomic.Bool
	spill      spill
}

// What is enough for a browser with all its symbols.
const (
	MaxKept = 512 << 20 // bytes
	MaxRead = 1 << 30   // bytes
	MaxOpen = 512       // files beside the images and their debug files
)

// NewBudget returns a budget of so many bytes to keep and to read.
func NewBudget(keep, read int64) *Budget {
	b := new(Budget)
	b.keep.Store(keep)
	b.read.Store(read)
	b.files.Store(MaxOpen)
	b.spill.most = MaxSpilled
	return b
}

// Keep reports whether n bytes more may be kept.
func (b *Budget) Keep(n uint64) bool { return b == nil || b.take(&b.keep, n) }

// Read reports whether n bytes more may be read.
func (b *Budget) Read(n uint64) bool { return b == nil || b.take(&b.read, n) }

// Open reports whether another file may be opened that only tells more of one.
func (b *Budget) Open() bool {
	if b == nil || b.files.Add(-1) >= 0 {
		return true
	}
	b.files.Add(1)
	return false
}

// Closed gives back a file for which Open was true.
func (b *Budget) Closed() {
	if b != nil {
		b.files.Add(1)
	}
}

// Return gives back what was to be kept, and is not.
func (b *Budget) Return(n uint64) {
	if b != nil {
		b.keep.Add(int64(n))
	}
}

// Release returns n bytes to what may be read, after a file was dropped.
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
