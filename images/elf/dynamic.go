package elf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

const (
	maxDynamic = 64 << 10 // bytes of PT_DYNAMIC; a few hundred are usual
	maxHash    = 8 << 20  // bytes of a hash table: room for a million symbols
)

// dynamic has what PT_DYNAMIC says of the symbols, as vmaddrs.
type dynamic struct {
	symbols, names, namesSize uint64
	hash, gnuHash             uint64
}

// mappedSymbols finds .dynsym as the loader does, by PT_DYNAMIC; nil when there is
// none. It copies table and names, because the memory may go away.
func (f *File) mappedSymbols() *symbolTable {
	d := f.readDynamic()
	if d.symbols == 0 || d.names == 0 {
		return nil
	}
	t := &symbolTable{is64: f.is64()}
	size := d.count(f.vm, f.is64(), f.elf.Progs) * uint64(t.entrySize())
	t.raw = readUpTo(f.vm, d.symbols, min(size, mapped(f.elf.Progs, d.symbols), maxSymbolBytes))
	names := readUpTo(f.vm, d.names, min(d.namesSize, mapped(f.elf.Progs, d.names), maxSymbolBytes))
	t.names = bytes.NewReader(names)
	t.size = uint64(len(t.raw))
	if !f.budget.Keep(t.size + uint64(len(names))) {
		return nil
	}
	return t
}

// readDynamic reads the tags of PT_DYNAMIC up to DT_NULL.
func (f *File) readDynamic() (d dynamic) {
	for _, p := range f.elf.Progs {
		if p.Type != elf.PT_DYNAMIC {
			continue
		}
		b := readUpTo(f.vm, p.Vaddr, min(p.Memsz, maxDynamic))
		f.eachTag(b, func(tag elf.DynTag, v uint64) {
			switch tag {
			case elf.DT_SYMTAB:
				d.symbols = f.unrelocated(v)
			case elf.DT_STRTAB:
				d.names = f.unrelocated(v)
			case elf.DT_STRSZ:
				d.namesSize = v
			case elf.DT_HASH:
				d.hash = f.unrelocated(v)
			case elf.DT_GNU_HASH:
				d.gnuHash = f.unrelocated(v)
			}
		})
	}
	return d
}

func (f *File) eachTag(b []byte, yield func(elf.DynTag, uint64)) {
	word := 4
	if f.is64() {
		word = 8
	}
	for ; len(b) >= 2*word; b = b[2*word:] {
		tag, v := elf.DynTag(uintN(b, word)), uintN(b[word:], word)
		if tag == elf.DT_NULL {
			return
		}
		yield(tag, v)
	}
}

func uintN(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// unrelocated converts a pointer in PT_DYNAMIC to a vmaddr. glibc adds the slide to
// it in memory; musl, and the kernel for the vdso, do not.
func (f *File) unrelocated(v uint64) uint64 {
	m, ok := f.vm.(memoryVM)
	if ok && mapped(f.elf.Progs, v-m.slide) > 0 {
		return v - m.slide
	}
	return v
}

// count returns the number of symbols in .dynsym, which is recorded only in the hash
// tables.
func (d *dynamic) count(vm vmReader, is64 bool, progs []*elf.Prog) uint64 {
	if d.gnuHash != 0 {
		return gnuHashCount(readUpTo(vm, d.gnuHash, min(mapped(progs, d.gnuHash), maxHash)), is64)
	}
	if b := readUpTo(vm, d.hash, 8); d.hash != 0 && len(b) == 8 {
		return uint64(binary.LittleEndian.Uint32(b[4:])) // nchain: one for each symbol
	}
	return 0
}

// gnuHashCount returns the number of symbols that a DT_GNU_HASH table covers: the
// index of the last chain's end, plus 1. Layout: nbuckets, symoffset, bloom_size,
// bloom_shift (4 bytes each), bloom words, buckets (4 bytes each), and for each
// symbol from symoffset its hash, whose bit 0 ends a chain.
func gnuHashCount(b []byte, is64 bool) uint64 {
	if len(b) < 16 {
		return 0
	}
	word := func(i uint64) (uint64, bool) {
		if i >= uint64(len(b))/4 {
			return 0, false
		}
		return uint64(binary.LittleEndian.Uint32(b[4*i:])), true
	}
	buckets, _ := word(0)
	offset, _ := word(1)
	bloom, _ := word(2)
	if is64 {
		bloom *= 2
	}
	chains := 4 + bloom + buckets
	last := uint64(0)
	for i := range buckets {
		v, ok := word(4 + bloom + i)
		if !ok {
			return 0
		}
		last = max(last, v)
	}
	if last < offset || last == 0 {
		return offset // no symbol is exported: all come before symoffset
	}
	for {
		h, ok := word(chains + last - offset)
		last++
		if !ok || h&1 != 0 {
			return last
		}
	}
}
