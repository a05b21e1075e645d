package elf

import (
	"debug/elf"
	"encoding/binary"
	"testing"
)

// bytesVM is mapped at 0.
type bytesVM []byte

func (b bytesVM) readVM(p []byte, vmaddr uint64) (int, error) {
	return copy(p, b[min(vmaddr, uint64(len(b))):]), nil
}

// TestDynamicIsBounded: the last tag that there may be is read, and none behind it.
func TestDynamicIsBounded(t *testing.T) {
	const tagSize = 16
	for tag, want := range map[int]uint64{0: 7, maxDynamic/tagSize - 1: 7, maxDynamic / tagSize: 0} {
		b := make(bytesVM, 2*maxDynamic)
		for i := range len(b) / tagSize {
			binary.LittleEndian.PutUint64(b[i*tagSize:], uint64(elf.DT_DEBUG))
		}
		binary.LittleEndian.PutUint64(b[tag*tagSize:], uint64(elf.DT_STRSZ))
		binary.LittleEndian.PutUint64(b[tag*tagSize+8:], 7)
		progs := []*elf.Prog{{ProgHeader: elf.ProgHeader{Type: elf.PT_DYNAMIC, Memsz: uint64(len(b))}}}
		f := &File{elf: &elf.File{FileHeader: elf.FileHeader{Class: elf.ELFCLASS64}, Progs: progs}, vm: b}
		if got := f.readDynamic().namesSize; got != want {
			t.Errorf("tag %d: %d, want %d", tag, got, want)
		}
	}
}
