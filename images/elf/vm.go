package elf

import (
	"debug/elf"
	"io"
	"math"

	"stacksnap/task"
)

// vmReader reads a file by vmaddr, from disk or from where it is mapped. A short read
// returns an error.
type vmReader interface {
	readVM(p []byte, vmaddr uint64) (int, error)
}

// fileVM reads the PT_LOAD segments on disk.
type fileVM struct{ file *elf.File }

func (v fileVM) readVM(p []byte, vmaddr uint64) (int, error) {
	for _, s := range v.file.Progs {
		if s.Type == elf.PT_LOAD && vmaddr >= s.Vaddr && vmaddr-s.Vaddr < s.Filesz {
			return s.ReadAt(p, int64(vmaddr-s.Vaddr))
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// memoryVM reads the mapped segments.
type memoryVM struct {
	memory task.Memory
	slide  uint64
}

func (v memoryVM) readVM(p []byte, vmaddr uint64) (int, error) {
	n, err := v.memory.ReadMemory(p, task.Addr(vmaddr+v.slide))
	if n < len(p) && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// firstChunk is how many bytes are read before the buffer grows. A size claimed by a
// header is not allocated at once.
const firstChunk = 64 << 10

// readUpTo reads at most size bytes at vmaddr, fewer at the end of readable bytes.
func readUpTo(vm vmReader, vmaddr, size uint64) []byte {
	size = min(size, math.MaxUint64-vmaddr)
	var b []byte
	for next := min(size, firstChunk); next > 0; next = min(size-uint64(len(b)), uint64(len(b))) {
		old := len(b)
		b = append(b, make([]byte, next)...)
		n, err := vm.readVM(b[old:], vmaddr+uint64(old))
		if n < int(next) || err != nil {
			return b[:old+n]
		}
	}
	return b
}

// mapped returns how many of the file's bytes follow vmaddr in its segment.
func mapped(progs []*elf.Prog, vmaddr uint64) uint64 {
	for _, p := range progs {
		if size := min(p.Filesz, p.Memsz); p.Type == elf.PT_LOAD && vmaddr >= p.Vaddr && vmaddr-p.Vaddr < size {
			return size - (vmaddr - p.Vaddr)
		}
	}
	return 0
}
