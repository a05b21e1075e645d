package recording

import (
	"math/bits"

	"stacksnap/task"
)

// store is memory of which some bytes are known. It implements [task.Memory].
type store struct {
	chunks map[task.Addr]*chunk // by address / chunkSize
	faults map[task.Addr]string // why memory is unreadable, by address
}

const (
	chunkSize = 64
	chunkCost = 3 * chunkSize // approximate bytes of our memory
	maxChunks = 1 << 20
	maxFaults = 1 << 16
)

// chunk is memory aligned to its size.
type chunk struct {
	known uint64 // bit i: data[i] is known
	data  [chunkSize]byte
	noted bool // still to be written
}

func newStore() store {
	return store{chunks: map[task.Addr]*chunk{}, faults: map[task.Addr]string{}}
}

// put stores bytes of memory. It calls changed for each chunk that has changed.
func (s *store) put(a task.Addr, b []byte, changed func(task.Addr, *chunk)) {
	for len(b) > 0 {
		at := int(a % chunkSize)
		n := min(len(b), chunkSize-at)
		if c := s.chunk(a / chunkSize); c != nil && c.put(at, b[:n]) {
			changed(a/chunkSize, c)
		}
		a, b = a+task.Addr(n), b[n:]
	}
}

// chunk returns a chunk, creating it if needed; nil if there are too many.
func (s *store) chunk(key task.Addr) *chunk {
	c := s.chunks[key]
	if c == nil && len(s.chunks) < maxChunks {
		c = new(chunk)
		s.chunks[key] = c
	}
	return c
}

// put reports whether anything changed.
func (c *chunk) put(at int, b []byte) bool {
	mask := run(len(b)) << at
	if c.known&mask == mask && string(c.data[at:at+len(b)]) == string(b) {
		return false
	}
	c.known |= mask
	copy(c.data[at:], b)
	return true
}

// forget records that a is no longer readable, and reports whether it was known.
func (s *store) forget(a task.Addr) bool {
	if !s.knows(a) {
		return false
	}
	s.chunks[a/chunkSize].known &^= 1 << (a % chunkSize)
	return true
}

// knows reports whether the byte at a is known.
func (s *store) knows(a task.Addr) bool {
	c := s.chunks[a/chunkSize]
	return c != nil && c.known>>(a%chunkSize)&1 != 0
}

// run returns a mask of n ones, 1 ≤ n ≤ 64.
func run(n int) uint64 { return ^uint64(0) >> (64 - n) }

// knownFrom returns how many bytes from at on are known.
func (c *chunk) knownFrom(at int) int { return bits.TrailingZeros64(^(c.known >> at)) }

// ReadMemory implements [task.Memory]. Only what was read during the recording is
// readable.
func (s *store) ReadMemory(p []byte, a task.Addr) (n int, err error) {
	for n < len(p) {
		here := a + task.Addr(n)
		c := s.chunks[here/chunkSize]
		if c == nil {
			return n, s.fault(here)
		}
		at := int(here % chunkSize)
		known := min(c.knownFrom(at), chunkSize-at)
		if known == 0 {
			return n, s.fault(here)
		}
		n += copy(p[n:], c.data[at:at+known])
	}
	return n, nil
}

func (s *store) fault(a task.Addr) error {
	return &task.FaultError{Addr: a, Err: newError(s.faults[a])}
}
