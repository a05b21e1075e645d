// Package exidx makes rules from .ARM.exidx and .ARM.extab, by which programs of
// 32-bit ARM are unwound when they throw: for the body of each function a few
// instructions of a byte or two (Exception Handling ABI for the Arm Architecture,
// IHI 0038, "EHABI" below).
//
// An index is searched where it lies, and what it leads to is read when it is asked for.
package exidx

import (
	"encoding/binary"
	"sort"
)

// entrySize is that of an index entry: two words (EHABI, 6).
const entrySize = 8

// cantUnwind is the second word of a function that nothing is said of.
const cantUnwind = 1

// inline marks a second word that has the instructions in itself.
const inline = 1 << 31

// table is the index of an image, sorted by where functions start.
type table struct {
	vmaddr uint32
	data   []byte
}

// entry is what the index has of code in [start, end), all vmaddrs. Neighbours of
// which the same is to be said may share one.
type entry struct {
	start, end uint32
	at         uint32 // of word
	word       uint32 // the second
}

// find returns the entry that covers vmaddr: the last that starts at or below it.
func (t *table) find(vmaddr uint32) (entry, bool) {
	n := len(t.data) / entrySize
	i := sort.Search(n, func(i int) bool { return t.start(i) > vmaddr })
	if i == 0 {
		return entry{}, false
	}
	e := entry{start: t.start(i - 1), end: 1<<32 - 1}
	if i < n {
		e.end = t.start(i)
	}
	off := (i-1)*entrySize + 4
	e.at, e.word = t.vmaddr+uint32(off), binary.LittleEndian.Uint32(t.data[off:])
	return e, true
}

// start returns where the i-th entry's function starts, without the bit of Thumb.
func (t *table) start(i int) uint32 {
	off := i * entrySize
	return prel31(binary.LittleEndian.Uint32(t.data[off:]), t.vmaddr+uint32(off)) &^ 1
}

// prel31 is where a word at a place points: its low 31 bits, signed, are the distance.
func prel31(word, at uint32) uint32 {
	return at + uint32(int32(word<<1)>>1)
}
