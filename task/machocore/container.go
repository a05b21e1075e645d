package machocore

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"stacksnap/task"
)

// The layouts of mach-o/loader.h (mach_header, mach_header_64) and mach-o/fat.h
// (fat_header, fat_arch, fat_arch_64; big-endian).
const (
	magic32     = 0xfeedface
	magic64     = 0xfeedfacf
	swapped32   = 0xcefaedfe
	swapped64   = 0xcffaedfe
	fatMagic    = 0xcafebabe
	fatMagic64  = 0xcafebabf
	fileCore    = 4 // MH_CORE
	header32    = 28
	header64    = 32
	fatEntry32  = 20
	fatEntry64  = 32
	maxFatParts = 32 // a Java class file has the same magic and a larger number here
)

// header has the used fields of a mach_header.
type header struct {
	arch     task.Arch
	pointer  int // bytes of an address: 4 or 8
	fileType uint32
	commands uint32
	cmdSize  uint32 // of all commands together
	size     int64  // of the header itself
}

// readHeader reads the mach_header at the start of r. A file of another kind
// gives ErrNotCore.
func readHeader(r io.ReaderAt) (header, error) {
	var b [header32]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return header{}, ErrNotCore
	}
	h := header{pointer: 8, size: header64}
	switch binary.LittleEndian.Uint32(b[:]) {
	case magic64:
	case magic32:
		h.pointer, h.size = 4, header32
	case swapped32, swapped64:
		return h, fmt.Errorf("%w that can be read: its byte order is big-endian", ErrNotCore)
	default:
		return h, ErrNotCore
	}
	cpu := binary.LittleEndian.Uint32(b[4:])
	h.arch = task.ArchOfMachO(cpu)
	h.fileType = binary.LittleEndian.Uint32(b[12:])
	h.commands = binary.LittleEndian.Uint32(b[16:])
	h.cmdSize = binary.LittleEndian.Uint32(b[20:])
	if h.fileType != fileCore {
		return h, fmt.Errorf("%w: a Mach-O file of another type (%d)", ErrNotCore, h.fileType)
	}
	if h.arch == task.UnknownArch {
		return h, &FormatError{Offset: 4, Reason: fmt.Sprintf("a core of an unknown processor (cputype 0x%x)", cpu)}
	}
	return h, nil
}

// part is one architecture's file within a fat one, or a whole thin one.
type part struct {
	*io.SectionReader
	header header
}

// open finds the cores in a file: one, or several in a fat file. Parts of a fat file
// that are not cores are left out; refused is the error of the first of them.
func open(r io.ReaderAt, size int64) (parts []part, refused, err error) {
	whole := io.NewSectionReader(r, 0, size)
	ranges := fatRanges(whole)
	if ranges == nil {
		h, err := readHeader(whole)
		return []part{{whole, h}}, nil, err
	}
	for _, f := range ranges {
		s := io.NewSectionReader(r, f.offset, f.size)
		h, err := readHeader(s)
		if err == nil {
			parts = append(parts, part{s, h})
		} else if refused == nil {
			refused = err
		}
	}
	if len(parts) == 0 {
		return nil, nil, refused
	}
	return parts, refused, nil
}

type fileRange struct{ offset, size int64 }

// fatRanges returns the parts of a fat file that start within it, nil if it is not
// fat.
func fatRanges(r *io.SectionReader) []fileRange {
	var b [8]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return nil
	}
	entry := fatEntry32
	switch binary.BigEndian.Uint32(b[:]) {
	case fatMagic:
	case fatMagic64:
		entry = fatEntry64
	default:
		return nil
	}
	n := binary.BigEndian.Uint32(b[4:])
	if n > maxFatParts {
		return nil
	}
	var found []fileRange
	for i := range int64(n) {
		var e [fatEntry64]byte
		if _, err := r.ReadAt(e[:entry], 8+i*int64(entry)); err != nil {
			break
		}
		offset, size := uint64(binary.BigEndian.Uint32(e[8:])), uint64(binary.BigEndian.Uint32(e[12:]))
		if entry == fatEntry64 {
			offset, size = binary.BigEndian.Uint64(e[8:]), binary.BigEndian.Uint64(e[16:])
		}
		if offset < uint64(r.Size()) {
			found = append(found, fileRange{int64(offset), int64(min(size, uint64(r.Size())-offset))})
		}
	}
	return found
}

// archNames returns the names of the parts' architectures.
func archNames(parts []part) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.header.arch.String()
	}
	return strings.Join(names, ", ")
}
