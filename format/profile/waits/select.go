package waits

import (
	"encoding/binary"
	"math/bits"

	"stacksnap/task"
)

// maxSetWords bounds the words to read of each set of select: FD_SETSIZE descriptors
// (bsd/sys/select.h), 32 in a word.
const maxSetWords = 1024 / 32

// selectSets describes the descriptors that select waits for. The kernel does not change
// the sets until it returns.
func (f *Finder) selectSets(c *call) string {
	n := int(int32(c.Args[0]))
	var parts []string
	count := 0
	for fd := range f.selected(n, c.Args[1:4]) {
		if count++; count <= maxNamed {
			parts = append(parts, f.file(uint64(fd)))
		}
	}
	return list(parts, count-maxNamed)
}

// selected iterates over the descriptors below n that are in one of the sets.
func (f *Finder) selected(n int, sets []uint64) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i, word := range f.union(n, sets) {
			for ; word != 0; word &= word - 1 {
				if fd := 32*i + bits.TrailingZeros32(word); fd < n && !yield(fd) {
					return
				}
			}
		}
	}
}

func (f *Finder) union(n int, sets []uint64) []uint32 {
	words := make([]uint32, max(0, min((n+31)/32, maxSetWords)))
	b := make([]byte, 4*len(words))
	for _, a := range sets {
		if a == 0 || task.ReadFull(f.process.Memory(), b, task.Addr(a)) != nil {
			continue
		}
		for i := range words {
			words[i] |= binary.LittleEndian.Uint32(b[4*i:])
		}
	}
	return words
}
