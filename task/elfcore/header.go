package elfcore

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
)

// The constants and layouts of <elf.h>: Elf32_Ehdr, Elf64_Ehdr, Elf32_Phdr, Elf64_Phdr.
const (
	typeCore = 4
	class32  = 1
	class64  = 2
	little   = 1

	ptLoad   = 1
	ptNote   = 4
	manyProg = 0xffff // PN_XNUM: the number is in sh_info of the first section

	headerSize64 = 64
	headerSize32 = 52
	progSize64   = 56
	progSize32   = 32
)

// header has the used fields of an ELF header.
type header struct {
	arch     task.Arch
	word     int // bytes of an address
	progAt   uint64
	progSize int
	progs    uint32
}

// archOf maps e_machine. A machine with the class of another pointer size is unknown: x32 and
// ilp32 programs are not supported.
func archOf(machine uint16, class byte) task.Arch {
	if a := task.ArchOfELF(machine); a.PointerSize() == 8 == (class == class64) {
		return a
	}
	return task.UnknownArch
}

// readHeader reads the ELF header. It returns ErrNotCore for another kind of file.
func readHeader(r *io.SectionReader) (header, error) {
	var b [headerSize64]byte
	if n, _ := r.ReadAt(b[:], 0); n < headerSize32 || string(b[:4]) != "\x7fELF" {
		return header{}, ErrNotCore
	}
	class, data := b[4], b[5]
	if data != little || class != class32 && class != class64 {
		return header{}, fmt.Errorf("%w that can be read: class %d, byte order %d", ErrNotCore, class, data)
	}
	if kind := binary.LittleEndian.Uint16(b[16:]); kind != typeCore {
		return header{}, fmt.Errorf("%w: an ELF file of another type (%d)", ErrNotCore, kind)
	}
	machine := binary.LittleEndian.Uint16(b[18:])
	h := header{arch: archOf(machine, class), word: 8, progSize: progSize64}
	if h.arch == task.UnknownArch {
		return h, &FormatError{Offset: 18, Reason: fmt.Sprintf("a core of an unknown processor (machine %d, class %d)", machine, class)}
	}
	h.progAt, h.progs = binary.LittleEndian.Uint64(b[32:]), uint32(binary.LittleEndian.Uint16(b[56:]))
	if class == class32 {
		h.word, h.progSize = 4, progSize32
		h.progAt, h.progs = uint64(binary.LittleEndian.Uint32(b[28:])), uint32(binary.LittleEndian.Uint16(b[44:]))
	}
	if h.progs == manyProg {
		h.progs = manyPrograms(r, b[:], h.word)
	}
	return h, nil
}

// manyPrograms reads the number of program headers if it is too large for the ELF header; 0 if
// it cannot be read.
func manyPrograms(r *io.SectionReader, b []byte, size int) uint32 {
	at, info := word(b[40:], 8), int64(44)
	if size == 4 {
		at, info = word(b[32:], 4), 28
	}
	var n [4]byte
	if at > uint64(r.Size()) {
		return 0
	}
	if _, err := r.ReadAt(n[:], int64(at)+info); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(n[:])
}

// word reads a little-endian number of 4 or 8 bytes.
func word(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// program is a program header, with its own offset in the file.
type program struct {
	kind, flags                      uint32
	offset, vaddr, fileSize, memSize uint64
	at                               int64
}

// programs yields the program headers in order, until one cannot be read.
func (h *header) programs(r *io.SectionReader, bad *saved.Problems) iter.Seq[program] {
	return func(yield func(program) bool) {
		if h.progAt > uint64(r.Size()) {
			bad.Add(0, "the program headers lie beyond the file's end")
			return
		}
		var b [progSize64]byte
		for i := range int64(h.progs) {
			at := int64(h.progAt) + i*int64(h.progSize)
			if _, err := r.ReadAt(b[:h.progSize], at); err != nil {
				bad.Add(at, "the program headers end after %d of %d", i, h.progs)
				return
			}
			if !yield(parseProgram(b[:h.progSize], h.word, at)) {
				return
			}
		}
	}
}

func parseProgram(b []byte, size int, at int64) program {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	if size == 4 {
		return program{
			kind: u32(0), flags: u32(24), offset: uint64(u32(4)), vaddr: uint64(u32(8)),
			fileSize: uint64(u32(16)), memSize: uint64(u32(20)), at: at,
		}
	}
	return program{
		kind: u32(0), flags: u32(4), offset: word(b[8:], 8), vaddr: word(b[16:], 8),
		fileSize: word(b[32:], 8), memSize: word(b[40:], 8), at: at,
	}
}
