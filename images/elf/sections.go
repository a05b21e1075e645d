package elf

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"strings"

	"stacksnap/images/object"
)

const (
	maxSection  = 256 << 20 // bytes of one section
	maxInflated = 64 << 20  // decompressed bytes of one that is kept whole; others: [object.MaxSpilled]
	maxEHFrame  = 64 << 20  // bytes of an .eh_frame or .ARM.exidx without a section header
)

// sectionNames are the names that tool chains use for each kind of section. .zdebug
// is GNU's older form of compression; position-independent Go programs have their
// table among the relocated data.
var sectionNames = [object.GoPCLnTab + 1][]string{
	object.EHFrame:    {".eh_frame"},
	object.EHFrameHdr: {".eh_frame_hdr"},
	object.DebugFrame: {".debug_frame", ".zdebug_frame"},
	object.GoPCLnTab:  {".gopclntab", ".data.rel.ro.gopclntab"},
}

func (f *File) readSection(kind object.Kind) (object.Section, error) {
	for _, name := range sectionNames[kind] {
		if s := f.elf.Section(name); s != nil && s.Type != elf.SHT_NOBITS {
			data, err := f.data(s)
			return object.Section{VMAddr: s.Addr, Data: data}, err
		}
	}
	switch {
	case kind == object.EHFrameHdr && len(f.elf.Sections) == 0:
		return f.segment(elf.PT_GNU_EH_FRAME)
	case kind == object.EHFrame && len(f.elf.Sections) == 0:
		return f.mappedEHFrame()
	case kind == object.ExIdx && f.elf.Machine == elf.EM_ARM:
		return f.segment(elf.PT_ARM_EXIDX)
	case kind == object.GoPCLnTab:
		return f.hiddenTable()
	case kind == object.DebugFrame && f.debug() != nil:
		return f.debug().Section(kind)
	}
	return object.Section{}, object.ErrNoSection
}

// data reads a whole section, decompressed. It fails if the section exceeds the file,
// maxSection or maxInflated.
func (f *File) data(s *elf.Section) ([]byte, error) {
	switch {
	case s.Flags&elf.SHF_COMPRESSED != 0:
		return f.packed(s, s.Size).Whole(s.Open(), maxInflated)
	case strings.HasPrefix(s.Name, zdebug):
		z, size, err := openGNU(s)
		if err != nil {
			return nil, err
		}
		return f.packed(s, size).Whole(z, maxInflated)
	case !f.holds(s) || s.FileSize > maxSection:
		return nil, io.ErrUnexpectedEOF
	}
	if !f.budget.Keep(s.FileSize) {
		return nil, object.ErrBudget
	}
	b := make([]byte, s.FileSize)
	if _, err := s.ReadAt(b, 0); err != nil {
		return nil, err
	}
	return b, nil
}

// holds reports whether all of a section's bytes are within the file.
func (f *File) holds(s *elf.Section) bool {
	size := uint64(f.size)
	return s.Type != elf.SHT_NOBITS && s.Offset <= size && s.FileSize <= size-s.Offset
}

// segment returns the segment of a type as a section.
func (f *File) segment(kind elf.ProgType) (object.Section, error) {
	for _, p := range f.elf.Progs {
		if p.Type == kind {
			size := min(p.Memsz, mapped(f.elf.Progs, p.Vaddr), maxEHFrame)
			b := readUpTo(f.vm, p.Vaddr, size)
			if !f.budget.Keep(uint64(len(b))) {
				return object.Section{}, object.ErrBudget
			}
			return found(p.Vaddr, b)
		}
	}
	return object.Section{}, object.ErrNoSection
}

// mappedEHFrame finds .eh_frame by the pointer in .eh_frame_hdr, and its end by the
// record of length zero (LSB Core, "Exception Frames").
func (f *File) mappedEHFrame() (object.Section, error) {
	hdr, err := f.Section(object.EHFrameHdr)
	if err != nil {
		return hdr, err
	}
	vmaddr, ok := ehFramePointer(hdr)
	if !ok {
		return object.Section{}, object.ErrNoSection
	}
	b := readUpTo(f.vm, vmaddr, min(mapped(f.elf.Progs, vmaddr), maxEHFrame))
	if !f.budget.Keep(uint64(len(b))) {
		return object.Section{}, object.ErrBudget
	}
	return found(vmaddr, b[:ehFrameSize(b)])
}

func found(vmaddr uint64, b []byte) (object.Section, error) {
	if len(b) == 0 {
		return object.Section{}, object.ErrNoSection
	}
	return object.Section{VMAddr: vmaddr, Data: b}, nil
}

// ehFramePointer decodes eh_frame_ptr, the first field after the four bytes of
// version and encodings, in the encodings that linkers use: relative to the field
// (DW_EH_PE_pcrel 0x10) or absolute; sdata4 0x0b, sdata8 0x0c.
func ehFramePointer(hdr object.Section) (uint64, bool) {
	b := hdr.Data
	if len(b) < 12 || b[0] != 1 {
		return 0, false
	}
	var base, v uint64
	switch b[1] & 0xf0 {
	case 0x00:
	case 0x10:
		base = hdr.VMAddr + 4
	default:
		return 0, false
	}
	switch b[1] & 0x0f {
	case 0x03:
		v = uint64(binary.LittleEndian.Uint32(b[4:]))
	case 0x0b:
		v = uint64(int64(int32(binary.LittleEndian.Uint32(b[4:]))))
	case 0x00, 0x04, 0x0c:
		v = binary.LittleEndian.Uint64(b[4:])
	default:
		return 0, false
	}
	return base + v, true
}

// ehFrameSize returns the size of the records in b, up to the terminating one or the
// last complete one.
func ehFrameSize(b []byte) uint64 {
	at, size := uint64(0), uint64(len(b))
	for size-at >= 4 {
		length, head := uint64(binary.LittleEndian.Uint32(b[at:])), uint64(4)
		if length == 0 {
			return at + 4
		}
		if length == 0xffffffff && size-at >= 12 {
			length, head = binary.LittleEndian.Uint64(b[at+4:]), 12
		}
		if length > size-at-head {
			break
		}
		at += head + length
	}
	return at
}
