package elf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"stacksnap/task"
)

// ErrNotELF is wrapped by the errors about files that are of another format.
var ErrNotELF = errors.New("not an ELF file")

const (
	maxSections   = 1 << 20  // of one file; object files with -ffunction-sections have the most
	maxSegments   = 4096     // of one file; Linux runs no program with more than 1170
	maxNoteParts  = 64       // PT_NOTE segments that are read
	maxNameTable  = 64 << 20 // bytes of section names
	headerSize    = 64       // bytes of Elf64_Ehdr
	headerSize32  = 52       // bytes of Elf32_Ehdr
	maxHeaderSize = 4 << 10  // bytes searched for the headers and notes of a mapped file
)

// parseHeaders reads the headers of a file of the given size. First it checks what
// debug/elf does not bound.
func parseHeaders(r io.ReaderAt, size int64) (*elf.File, error) {
	r = io.NewSectionReader(r, 0, size)
	var b [headerSize]byte
	n, err := r.ReadAt(b[:], 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !isELF(b[:n]) {
		return nil, ErrNotELF
	}
	if elf.Data(b[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, fmt.Errorf("%w that can be read: not little-endian", ErrNotELF)
	}
	if err := checkSectionNames(r, b[:n]); err != nil {
		return nil, err
	}
	e, err := elf.NewFile(r)
	if err == nil && len(e.Progs) > maxSegments {
		err = fmt.Errorf("%d segments", len(e.Progs))
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// isELF reports whether b begins as an ELF file does.
func isELF(b []byte) bool { return len(b) >= elf.EI_NIDENT && string(b[:4]) == elf.ELFMAG }

// The positions of the section fields in Elf64_Ehdr and Elf32_Ehdr, and of the
// fields used of Elf64_Shdr and Elf32_Shdr (gABI, chapter 4).
type sectionLayout struct {
	word                 int // size of an address
	shoff, shnum, strndx int
	flags, size, link    int
	entry                int // size of a section header
}

var (
	layout64 = sectionLayout{8, 0x28, 0x3c, 0x3e, 0x08, 0x20, 0x28, 64}
	layout32 = sectionLayout{4, 0x20, 0x30, 0x32, 0x08, 0x14, 0x18, 40}
)

func (l *sectionLayout) uint(b []byte, at int) uint64 {
	if l.word == 4 {
		return uint64(binary.LittleEndian.Uint32(b[at:]))
	}
	return binary.LittleEndian.Uint64(b[at:])
}

func layoutOf(header []byte) *sectionLayout {
	if elf.Class(header[elf.EI_CLASS]) == elf.ELFCLASS32 {
		return &layout32
	}
	return &layout64
}

// checkSectionNames rejects headers that would make debug/elf allocate without bound
// or index beyond its sections: a huge count in the first section header, or a name
// table that is missing or compressed.
func checkSectionNames(r io.ReaderAt, header []byte) error {
	l := layoutOf(header)
	if len(header) < l.strndx+2 {
		return io.ErrUnexpectedEOF
	}
	shoff := l.uint(header, l.shoff)
	shnum := uint64(binary.LittleEndian.Uint16(header[l.shnum:]))
	strndx := uint64(binary.LittleEndian.Uint16(header[l.strndx:]))
	if shoff == 0 || int64(shoff) < 0 {
		return nil // no sections, or an offset that debug/elf rejects
	}
	var b [64]byte
	if shnum == 0 {
		if _, err := r.ReadAt(b[:l.entry], int64(shoff)); err != nil {
			return err
		}
		shnum = l.uint(b[:], l.size)
		if strndx == uint64(elf.SHN_XINDEX) {
			strndx = uint64(binary.LittleEndian.Uint32(b[l.link:]))
		}
	}
	if shnum > maxSections || strndx >= max(shnum, 1) {
		return fmt.Errorf("%d sections with names in the %dth", shnum, strndx)
	}
	if n := int(binary.LittleEndian.Uint16(header[l.shnum-2:])); n != l.entry {
		return fmt.Errorf("section headers of %d bytes", n) // debug/elf allows longer ones; no file has them
	}
	if _, err := r.ReadAt(b[:l.entry], int64(shoff)+int64(strndx)*int64(l.entry)); err != nil {
		return err
	}
	if l.uint(b[:], l.flags)&uint64(elf.SHF_COMPRESSED) != 0 || l.uint(b[:], l.size) > maxNameTable {
		return fmt.Errorf("section names of %d bytes, flags %#x", l.uint(b[:], l.size), l.uint(b[:], l.flags))
	}
	return nil
}

// header is the start of a file as the target has it mapped.
type header struct {
	bytes []byte
	progs []elf.ProgHeader
	file  *elf.File // without sections
	ids   ids
}

// parseHeader reads the headers in the first bytes of a mapped file. It ignores the
// section headers, which are not mapped.
func parseHeader(b []byte) (*header, error) {
	if len(b) < headerSize || !isELF(b) {
		return nil, ErrNotELF
	}
	alone := bytes.Clone(b)
	l := layoutOf(b)
	clear(alone[l.shoff : l.shoff+l.word])
	clear(alone[l.shnum : l.strndx+2])
	f, err := parseHeaders(bytes.NewReader(alone), int64(len(alone)))
	if err != nil {
		return nil, err
	}
	h := &header{bytes: b, file: f, progs: progHeaders(f)}
	for _, p := range h.progs {
		size := uint64(len(b))
		if p.Type == elf.PT_NOTE && p.Off <= size && p.Filesz <= size-p.Off {
			h.ids.add(b[p.Off:p.Off+p.Filesz], p.Align)
		}
	}
	return h, nil
}

func progHeaders(f *elf.File) []elf.ProgHeader {
	progs := make([]elf.ProgHeader, len(f.Progs))
	for i, p := range f.Progs {
		progs[i] = p.ProgHeader
	}
	return progs
}

// readHeader reads the header of the file whose first byte is mapped at a.
func readHeader(mem task.Memory, a task.Addr) (*header, error) {
	b := make([]byte, maxHeaderSize)
	n, err := mem.ReadMemory(b, a)
	if n < headerSize && err != nil {
		return nil, err
	}
	return parseHeader(b[:n])
}

// fileIDs reads the IDs in a file's notes.
func fileIDs(f *elf.File) ids {
	var id ids
	parts := 0
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || parts == maxNoteParts {
			continue
		}
		parts++
		b := make([]byte, min(p.Filesz, maxNotes))
		n, _ := p.ReadAt(b, 0)
		id.add(b[:n], p.Align)
	}
	if s := f.Section(".note.gnu.build-id"); len(f.Progs) == 0 && s != nil && s.ReaderAt != nil {
		b := make([]byte, min(s.FileSize, maxNotes)) // a file made by dwz, which has no segments
		n, _ := s.ReadAt(b, 0)
		id.add(b[:n], s.Addralign)
	}
	return id
}
