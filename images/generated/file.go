package generated

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// File is what there is to know of generated code, in place of the file that other
// code is of: its names, where code may be that they are for.
type File struct {
	*Names
	arch     task.Arch
	segments []object.Segment
}

var _ object.File = (*File)(nil)

// Range is a mapping of generated code: [Start, End).
type Range struct{ Start, End task.Addr }

// maxRanges bounds the mappings: no compiler needs so many.
const maxRanges = 1 << 11

// File gives the names to what is mapped at the ranges, lowest first, of which
// neighbours are taken together. Its vmaddrs are addresses.
func (n *Names) File(arch task.Arch, ranges []Range) *File {
	f := &File{Names: n, arch: arch}
	for _, r := range ranges {
		if last := len(f.segments) - 1; last >= 0 && f.segments[last].VMAddr+f.segments[last].Size == uint64(r.Start) {
			f.segments[last].Size += uint64(r.End - r.Start)
		} else if len(f.segments) < maxRanges {
			f.segments = append(f.segments, object.Segment{VMAddr: uint64(r.Start), Size: uint64(r.End - r.Start), Prot: task.Read | task.Execute})
		}
	}
	return f
}

// Arch implements [object.File].
func (f *File) Arch() task.Arch { return f.arch }

// ID implements [object.File]: there is none.
func (f *File) ID() []byte { return nil }

// Segments implements [object.File].
func (f *File) Segments() []object.Segment { return f.segments }

// HasSymbols implements [object.File].
func (f *File) HasSymbols() bool { return true }

// Section implements [object.File].
func (f *File) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}

// FunctionStart implements [object.File]: a start without a name is not told.
func (f *File) FunctionStart(uint64) (uint64, bool) { return 0, false }

// Close implements [object.File]. The names' reader has the file.
func (f *File) Close() error { return nil }
