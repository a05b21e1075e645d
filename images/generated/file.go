package generated

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// File is an [object.File] for generated code, which has no file of its own. It has
// names, for the ranges where such code may be.
type File struct {
	*Names
	arch     task.Arch
	segments []object.Segment
}

var _ object.File = (*File)(nil)

// Range is a mapping that may contain generated code: [Start, End).
type Range struct{ Start, End task.Addr }

// maxRanges is the maximum number of mappings. No compiler needs more.
const maxRanges = 1 << 11

// File returns a file that names the code mapped at ranges, which are sorted;
// adjacent ones are merged. Its vmaddrs are addresses of the target.
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

// ID implements [object.File]. There is none.
func (f *File) ID() []byte { return nil }

// Segments implements [object.File].
func (f *File) Segments() []object.Segment { return f.segments }

// HasSymbols implements [object.File].
func (f *File) HasSymbols() bool { return true }

// Section implements [object.File].
func (f *File) Section(object.Kind) (object.Section, error) {
	return object.Section{}, object.ErrNoSection
}

// FunctionStart implements [object.File]. Generated code has no starts without a
// name.
func (f *File) FunctionStart(uint64) (uint64, bool) { return 0, false }

// Close implements [object.File]. The file itself belongs to the Reader.
func (f *File) Close() error { return nil }
