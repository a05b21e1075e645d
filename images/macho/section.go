package macho

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"stacksnap/images/object"
	"stacksnap/task"
)

// maxSectionData is the maximum size of a section that is read, in bytes.
const maxSectionData = 256 << 20

// maxInflated is the maximum size of a section that is decompressed in memory, in
// bytes.
const maxInflated = 64 << 20

// Section is a section as described by the load commands (section_64 of
// <mach-o/loader.h>).
type Section struct {
	Segment, Name string
	VMAddr, Size  uint64
	Offset        uint32 // in the file; 0 if the file has no bytes of it
	Flags         uint32
	Reserved1     uint32    // stubs: index of the first indirect symbol
	Reserved2     uint32    // stubs: size of one
	Prot          task.Prot // the segment's
	relocations   place     // in object files
}

// Contains reports whether vmaddr is in the section.
func (s *Section) Contains(vmaddr uint64) bool {
	return vmaddr >= s.VMAddr && vmaddr-s.VMAddr < s.Size
}

// Stubs reports whether the section consists of symbol stubs of StubSize bytes.
func (s *Section) Stubs() bool { return s.Flags&sectionTypeMask == typeStubs && s.Reserved2 != 0 }

// StubSize returns the size of one stub in bytes; valid only for sections of stubs.
func (s *Section) StubSize() uint64 { return uint64(s.Reserved2) }

// Code reports whether the section may contain instructions: by its attributes, or
// because its segment is executable and its type is not that of literals.
func (s *Section) Code() bool {
	if s.instructions() {
		return true
	}
	t := s.Flags & sectionTypeMask
	return s.Prot&task.Execute != 0 && (t < typeCStrings || t > typeLazyPointers)
}

// instructions reports whether the section is marked as containing instructions.
func (s *Section) instructions() bool {
	return s.Flags&(attrPureInstructions|attrSomeInstructions) != 0
}

func (s *Section) zeroFill() bool {
	t := s.Flags & sectionTypeMask
	return t == typeZeroFill || t == typeGBZeroFill || t == typeThreadZeroFill
}

// Sections returns the sections in the order of n_sect, which counts from 1. The
// caller must not modify them.
func (f *File) Sections() []Section { return f.sections }

// SectionAt returns the section that contains vmaddr.
func (f *File) SectionAt(vmaddr uint64) (*Section, bool) {
	i := f.sectionIndex(vmaddr)
	if i < 0 {
		return nil, false
	}
	return &f.sections[i], true
}

func (f *File) sectionIndex(vmaddr uint64) int {
	for i := range f.sections {
		if f.sections[i].Contains(vmaddr) {
			return i
		}
	}
	return -1
}

// SectionRange implements [object.DataFinder].
func (f *File) SectionRange(name string) (vmaddr, size uint64, ok bool) {
	for i := range f.sections {
		if s := &f.sections[i]; s.Segment+","+s.Name == name {
			return s.VMAddr, s.Size, true
		}
	}
	return 0, 0, false
}

// SectionData returns the bytes of the first section with a name, in any segment if
// segment is "". They are cached; the caller must not modify them. The error wraps
// [object.ErrNoSection].
func (f *File) SectionData(segment, name string) (object.Section, error) {
	for i := range f.sections {
		s := &f.sections[i]
		if s.Name == name && (segment == "" || s.Segment == segment) {
			data, err := f.sectionData(i)
			return object.Section{VMAddr: s.VMAddr, Data: data}, err
		}
	}
	return object.Section{}, fmt.Errorf("%s: %w", name, object.ErrNoSection)
}

// Section implements [object.File].
func (f *File) Section(k object.Kind) (object.Section, error) {
	switch k {
	case object.EHFrame:
		return f.SectionData("", "__eh_frame")
	case object.UnwindInfo:
		return f.SectionData("", "__unwind_info")
	case object.GoPCLnTab:
		return f.SectionData("", "__gopclntab")
	case object.DebugFrame:
		return f.debugFrame()
	}
	return object.Section{}, object.ErrNoSection
}

// debugFrame returns __debug_frame. It is never mapped, so an image in memory takes
// it from its file.
func (f *File) debugFrame() (object.Section, error) {
	s, err := f.SectionData("", "__debug_frame")
	if err == nil {
		return s, nil
	}
	if s, zerr := f.SectionData("", "__zdebug_frame"); zerr == nil {
		data, zerr := f.inflate(s.Data)
		return object.Section{VMAddr: s.VMAddr, Data: data}, zerr
	}
	if disk := f.onDisk(); disk != nil {
		return disk.debugFrame()
	}
	return s, err
}

// sectionData returns the bytes of a section, reading them on first use.
func (f *File) sectionData(i int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, ok := f.data[i]; ok {
		return data, nil
	}
	s := &f.sections[i]
	if s.zeroFill() || s.Size > maxSectionData {
		return nil, fmt.Errorf("%s of %d bytes: %w", s.Name, s.Size, object.ErrNoSection)
	}
	data, err := f.cost.readKept(s.Size, func(p []byte, at uint64) (int, error) { return f.src.readSection(p, s, at) })
	if errors.Is(err, object.ErrBudget) {
		return nil, fmt.Errorf("%s: %w", s.Name, object.ErrBudget)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", s.Name, object.ErrNoSection, err)
	}
	if f.data == nil {
		f.data = make(map[int][]byte)
	}
	f.data[i] = data
	return data, nil
}

// inflate decompresses a whole __zdebug_ section.
func (f *File) inflate(b []byte) ([]byte, error) {
	z, size, err := object.OpenGNU(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("compressed section: %w: %w", object.ErrNoSection, err)
	}
	data, err := f.cost.inflated(f.packed("__zdebug_frame", uint64(len(b)), size), io.LimitReader(z, int64(size)))
	if err == nil && uint64(len(data)) < size {
		return nil, fmt.Errorf("compressed section: %w: %w", object.ErrNoSection, io.ErrUnexpectedEOF)
	}
	return data, err
}
