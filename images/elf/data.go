package elf

import (
	"debug/elf"
	"encoding/binary"
	"iter"
)

// SectionRange implements [object.DataFinder].
func (f *File) SectionRange(name string) (vmaddr, size uint64, ok bool) {
	s := f.elf.Section(name)
	if s == nil || s.Flags&elf.SHF_ALLOC == 0 {
		return 0, 0, false
	}
	return s.Addr, s.Size, true
}

// Exported implements [object.DataFinder], by the hash table that the loader uses. It finds
// nothing in a file that has only DT_HASH.
func (f *File) Exported(name string) (vmaddr uint64, ok bool) {
	d := f.readDynamic()
	if d.gnuHash == 0 || d.symbols == 0 || d.names == 0 {
		return 0, false
	}
	t := symbolTable{is64: f.is64()}
	size := uint64(t.entrySize())
	for i := range d.hashed(f.vm, f.is64(), name) {
		if t.raw = readUpTo(f.vm, d.symbols+i*size, size); t.len() != 1 {
			return 0, false
		}
		if s := t.at(0); s.isDefined() && d.isNamed(f.vm, s.name, name) {
			return s.value, true
		}
	}
	return 0, false
}

// isNamed reports whether the dynamic string at an offset is name.
func (d *dynamic) isNamed(vm vmReader, offset uint32, name string) bool {
	return string(readUpTo(vm, d.names+uint64(offset), uint64(len(name))+1)) == name+"\x00"
}

// maxChain is the maximum number of symbols examined in one bucket.
const maxChain = 256

// hashed yields the numbers of the symbols that have the hash of a name in
// DT_GNU_HASH; see [gnuHashCount] for its layout.
func (d *dynamic) hashed(vm vmReader, is64 bool, name string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		head := readUpTo(vm, d.gnuHash, 16)
		if len(head) < 16 {
			return
		}
		buckets, offset, bloom := hashWord(head), hashWord(head[4:]), hashWord(head[8:])
		if buckets == 0 {
			return
		}
		if is64 {
			bloom *= 2
		}
		hash := gnuHash(name)
		table := d.gnuHash + 16 + 4*bloom
		first := hashWord(readUpTo(vm, table+4*(hash%buckets), 4))
		if first < offset {
			return // none
		}
		chain := table + 4*(buckets+first-offset)
		for i := range uint64(maxChain) {
			h := hashWord(readUpTo(vm, chain+4*i, 4))
			if h|1 == hash|1 && !yield(first+i) || h&1 != 0 {
				return
			}
		}
	}
}

// hashWord returns a word of a hash table, 0 where the table is cut.
func hashWord(b []byte) uint64 {
	if len(b) < 4 {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(b))
}

// gnuHash is the hash function of DT_GNU_HASH.
func gnuHash(name string) uint64 {
	h := uint32(5381)
	for _, c := range []byte(name) {
		h = h*33 + uint32(c)
	}
	return uint64(h)
}
