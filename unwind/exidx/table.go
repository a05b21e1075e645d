// Package exidx makes rules from .ARM.exidx and .ARM.extab, by which 32-bit ARM
// programs unwind exceptions. They describe the body of each function by a few
// instructions of one or two bytes (Exception Handling ABI for the Arm Architecture,
// IHI 0038, "EHABI" below).
//
// The index is searched in place, and an entry's instructions are read on demand.
package exidx

import (
	"encoding/binary"
	"sort"
)

// entrySize is the size of an index entry in bytes: two words (EHABI, 6).
const entrySize = 8

// cantUnwind is the second word of a function without unwind information.
const cantUnwind = 1

// inline marks a second word that contains the instructions.
const inline = 1 << 31

// table is an image's index, sorted by function start.
type table struct {
	vmaddr uint32
	data   []byte
}

// entry describes the code in [start, end), which are vmaddrs. Adjacent functions
// with the same instructions may share an entry.
type entry struct {
	start, end uint32
	at         uint32 // address of word
	word       uint32 // the second of the entry
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

// prel31 decodes a self-relative offset: the low 31 bits of word, signed, added to
// its address.
func prel31(word, at uint32) uint32 {
	return at + uint32(int32(word<<1)>>1)
}
