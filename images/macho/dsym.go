package macho

import (
	"bytes"
	"io"
	"path"
	"strings"

	"stacksnap/images/dwarf"
	"stacksnap/images/object"
)

const (
	segDWARF   = "__DWARF"
	zdebug     = "__zdebug_" // compressed, as by Go's linker after dsymutil
	nameBytes  = 16          // maximum length of a section name; the rest is cut off
	maxBundles = 8           // directories above a file that may be its bundle
)

// Source returns the calls inlined at vmaddr, the innermost first, and last the
// function itself, as [dwarf.Data.Frames] does. Go's code is looked up in its table;
// other code in the file's own debugging information, which a dSYM has, else in the
// dSYM beside it, else in the object files that it was linked from.
func (f *File) Source(vmaddr uint64) []object.Source {
	if f.closed.Load() {
		return nil
	}
	if frames := f.golang().Source(f.instruction(vmaddr)); frames != nil {
		return frames
	}
	if f.HasSource() {
		return f.source().Frames(vmaddr)
	}
	vmaddr = f.instruction(vmaddr)
	if d := f.dsym(); d != nil {
		here, _ := f.TextVMAddr()
		there, _ := d.TextVMAddr()
		return d.Source(vmaddr - here + there)
	}
	if m := f.debugMap(); m != nil {
		return m.source(vmaddr)
	}
	return nil
}

// HasSource reports whether the file itself has debugging information.
func (f *File) HasSource() bool { return f.debugSection("info") != nil }

// Sourced reports whether the file, its dSYM or its object files have debugging
// information.
func (f *File) Sourced() bool { return f.HasSource() || f.dsym() != nil || f.debugMap() != nil }

func (f *File) debugSection(name string) *Section {
	for _, prefix := range []string{"__debug_", zdebug} {
		name := prefix + name
		name = name[:min(len(name), nameBytes)]
		for i := range f.sections {
			if s := &f.sections[i]; s.Name == name && s.Segment == segDWARF && !s.zeroFill() {
				return s
			}
		}
	}
	return nil
}

// readSource opens the debugging information. What is kept of it stays in the budget
// when the file is closed.
func (f *File) readSource() *dwarf.Data {
	return dwarf.New(f.openSource, f.cost.budget)
}

// openSource opens a section for reading in pieces, decompressing it if needed.
func (f *File) openSource(name string) dwarf.Section {
	s := f.debugSection(name)
	switch {
	case s == nil:
		return nil
	case strings.HasPrefix(s.Name, zdebug):
		z, size, err := object.OpenGNU(io.NewSectionReader(&sectionReader{f, s}, 0, int64(s.Size)))
		if err != nil {
			return nil
		}
		return f.packed(s.Name, s.Size, size).Inflating(z)
	}
	return f.debugSectionReader(s)
}

// packed describes a compressed section that claims to have size bytes.
func (f *File) packed(name string, from, size uint64) object.Packed {
	return object.Packed{File: f.name, Name: name, From: from, To: size, Budget: f.cost.budget, LeftOut: &f.leftOut}
}

// sectionReader reads a section in pieces.
type sectionReader struct {
	file    *File
	section *Section
}

func (r *sectionReader) Size() int64 { return int64(r.section.Size) }

// ReadAt implements [io.ReaderAt].
func (r *sectionReader) ReadAt(p []byte, off int64) (int, error) {
	return r.file.src.readSection(p, r.section, uint64(off))
}

// SeekDSYM sets the path of the file, beside which its dSYM may be. Without a dSYM,
// the object files that the file names are used.
func (f *File) SeekDSYM(file string) { f.path, f.name = file, path.Base(file) }

// findDSYM opens the dSYM of the file: beside it, or beside a bundle that contains
// it.
func (f *File) findDSYM() *File {
	if f.path == "" || f.uuid == nil || f.InSharedCache() {
		return nil
	}
	name := path.Base(f.path)
	for at, n := f.path, 0; n <= maxBundles && at != "/" && at != "."; at, n = path.Dir(at), n+1 {
		if n > 0 && path.Ext(at) == "" {
			continue // not a bundle
		}
		d, err := Open(at+".dSYM/Contents/Resources/DWARF/"+name, Want{Arch: f.Arch(), ID: f.uuid})
		if err != nil {
			continue
		}
		if bytes.Equal(d.uuid, f.uuid) && d.HasSource() {
			d.Limit(f.cost.budget)
			d.name = name
			return d
		}
		_ = d.Close() // read-only
	}
	return nil
}

var _ interface {
	object.File
	Source(uint64) []object.Source
} = (*File)(nil)
