package elf

import (
	"bytes"
	"debug/elf"
)

const (
	maxPacked = 16 << 20 // bytes of .gnu_debugdata; those of a browser take 3 MB
	maxMini   = 64 << 20 // bytes of its contents
)

// readMini opens .gnu_debugdata, which distributions leave in stripped files (GDB
// manual, "MiniDebugInfo"): a compressed ELF file with the symbols of the functions
// that .dynsym lacks. It returns nil if there is none.
func (f *File) readMini() *File {
	s := f.elf.Section(".gnu_debugdata")
	if s == nil || s.Type == elf.SHT_NOBITS || s.FileSize > maxPacked {
		return nil
	}
	packed, err := f.data(s)
	if err != nil {
		return nil
	}
	defer f.budget.Return(uint64(len(packed)))
	x, err := newXZ(packed)
	if err != nil || !f.budget.Keep(maxDictionary) {
		return nil
	}
	b, err := f.budget.Inflate(x, maxMini)
	f.budget.Return(maxDictionary)
	if err != nil {
		return nil
	}
	mini, err := NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		f.budget.Return(uint64(len(b)))
		return nil
	}
	mini.budget, mini.name, mini.leftOut = f.budget, f.name, f.leftOut
	return mini
}
