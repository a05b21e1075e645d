package elf

import (
	"debug/elf"
	"io"
	"strings"

	"stacksnap/images/dwarf"
	"stacksnap/images/object"
)

// Source returns the calls inlined at vmaddr, the innermost first, and last the
// function itself, as [dwarf.Data.Frames] does. Go's code is looked up in its table;
// other code in the debugging information of the file or else of its separate debug
// file, and of the files that these refer to.
func (f *File) Source(vmaddr uint64) []object.Source {
	if f.closed.Load() {
		return nil
	}
	if frames := f.golang().Source(vmaddr); frames != nil {
		return frames
	}
	return f.source().Frames(vmaddr)
}

// HasSource reports whether the file itself has debugging information.
func (f *File) HasSource() bool {
	_, ok := f.debugSection("info")
	return ok
}

// Sourced reports whether the file or its separate debug file has debugging information.
func (f *File) Sourced() bool {
	if f.HasSource() {
		return true
	}
	d := f.debug()
	return d != nil && d.HasSource()
}

func (f *File) readSource() *dwarf.Data {
	if !f.HasSource() {
		if d := f.debug(); d != nil && d.HasSource() {
			return d.source()
		}
	}
	d := dwarf.New(f.openSource, f.budget)
	d.Related = f.related.dwarf()
	return d
}

// debugSection returns a section of debugging information by its name without .debug_
// or GNU's older .zdebug_.
func (f *File) debugSection(name string) (*elf.Section, bool) {
	for _, prefix := range []string{".debug_", zdebug} {
		if s := f.elf.Section(prefix + name); s != nil && s.Type != elf.SHT_NOBITS {
			return s, true
		}
	}
	return nil, false
}

const zdebug = ".zdebug_"

// openSource opens a section for reading in pieces, decompressing it if needed.
func (f *File) openSource(name string) dwarf.Section {
	s, ok := f.debugSection(name)
	switch {
	case !ok || !f.holds(s):
		return nil
	case s.Flags&elf.SHF_COMPRESSED != 0:
		return f.packed(s, s.Size).Inflating(s.Open())
	case strings.HasPrefix(s.Name, zdebug):
		return f.inflatingGNU(s)
	}
	return io.NewSectionReader(s, 0, int64(s.FileSize))
}

// packed describes a compressed section that claims to have size bytes.
func (f *File) packed(s *elf.Section, size uint64) object.Packed {
	return object.Packed{File: f.name, Name: s.Name, From: s.FileSize, To: size, Budget: f.budget, LeftOut: f.leftOut}
}

// SourceNote returns a line on debugging information that was needed but not read, ""
// if there is none.
func (f *File) SourceNote() string { return f.leftOut.Line() }

func (f *File) inflatingGNU(s *elf.Section) dwarf.Section {
	z, size, err := openGNU(s)
	if err != nil {
		return nil
	}
	return f.packed(s, size).Inflating(z)
}

func openGNU(s *elf.Section) (io.Reader, uint64, error) {
	return object.OpenGNU(io.NewSectionReader(s, 0, int64(s.FileSize)))
}
