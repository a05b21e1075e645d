// Package recorded makes images from a recording, which answer as their files did
// when the recording was made, and saves these answers while a recording is made.
package recorded

import (
	"errors"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// sectionNames are the names of sections in recordings.
var sectionNames = [...]string{
	object.EHFrame:    "eh_frame",
	object.EHFrameHdr: "eh_frame_hdr",
	object.DebugFrame: "debug_frame",
	object.UnwindInfo: "unwind_info",
	object.ExIdx:      "exidx",
	object.GoPCLnTab:  "gopclntab",
}

// Place returns the images mapped at the last snapshot that r has read, in the
// loader's order.
func Place(r *recording.Reader) []object.Placed {
	files := r.Files()
	placed := make([]object.Placed, 0, len(files))
	for _, f := range files {
		p := object.Placed{Path: f.Path, Load: f.Load, Slide: f.Slide, Main: f.Main, Note: f.Note, Generated: f.Generated}
		p.Variant, p.Bundle = f.Variant, object.Bundle{ID: f.BundleID, Version: f.BundleVersion, Build: f.BundleBuild}
		if f.Error != "" {
			p.Err = errors.New(f.Error)
		}
		if f.Read {
			p.File = newFile(f)
		}
		placed = append(placed, p)
	}
	return placed
}

// Map returns a map of the images at the last snapshot that r has read.
func Map(r *recording.Reader) *images.Map {
	m := images.NewMap(Place(r))
	if c := r.Cache(); c != (recording.SharedCache{}) {
		cache := images.SharedCache(c)
		m.Cache = &cache
	}
	return m
}

// file is an image in a recording. It is safe for concurrent use.
type file struct {
	of       *recording.File
	segments []object.Segment
}

var (
	_ object.File          = (*file)(nil)
	_ object.DataReporter  = (*file)(nil)
	_ object.ThumbReporter = (*file)(nil)
)

func newFile(of *recording.File) *file {
	f := &file{of: of}
	for _, s := range of.Segments {
		f.segments = append(f.segments, object.Segment{
			Name: s.Name, VMAddr: s.VMAddr, Size: s.Size, Offset: s.Offset, FileSize: s.InFile, Prot: s.Prot,
		})
	}
	return f
}

func (f *file) Arch() task.Arch            { return f.of.Arch }
func (f *file) ID() []byte                 { return f.of.ID }
func (f *file) Segments() []object.Segment { return f.segments }
func (f *file) HasSymbols() bool           { return f.of.Symbols }
func (f *file) Close() error               { return nil }

// Symbol implements [object.File], for vmaddrs that were looked up when the recording
// was made.
func (f *file) Symbol(vmaddr uint64) (object.Symbol, bool) {
	a := f.of.Symbol(vmaddr)
	return object.Symbol{Name: a.Name, VMAddr: a.VMAddr, Size: a.Size, Public: a.Public}, a.Found
}

// FunctionStart implements [object.File], for vmaddrs that were looked up.
func (f *file) FunctionStart(vmaddr uint64) (uint64, bool) {
	a := f.of.FunctionStart(vmaddr)
	return a.VMAddr, a.Found
}

// DataInCode implements [object.DataReporter], for vmaddrs that were looked up. It
// rejects a recorded range that does not end above vmaddr.
func (f *file) DataInCode(vmaddr uint64) (start, end uint64, ok bool) {
	a := f.of.DataInCode(vmaddr)
	if end = a.VMAddr + a.Size; !a.Found || end < a.VMAddr || end <= vmaddr {
		return 0, 0, false
	}
	return a.VMAddr, end, true
}

// Thumb implements [object.ThumbReporter], for vmaddrs that were looked up.
func (f *file) Thumb(vmaddr uint64) (thumb, known bool) {
	a := f.of.Thumb(vmaddr)
	return a.Thumb, a.Found
}

// Source returns the file's answer when the recording was made.
func (f *file) Source(vmaddr uint64) []object.Source {
	var list []object.Source
	for _, s := range f.of.Source(vmaddr) {
		list = append(list, object.Source(s))
	}
	return list
}

// Section implements [object.File]. Call frame information is limited to what the
// recorded stacks need; of Go's function table only its presence is recorded.
func (f *file) Section(k object.Kind) (object.Section, error) {
	if int(k) >= len(sectionNames) {
		return object.Section{}, object.ErrNoSection
	}
	s, ok := f.of.Section(sectionNames[k])
	switch {
	case !ok:
		return object.Section{}, object.ErrNoSection
	case s.Error != "":
		return object.Section{}, errors.New(s.Error)
	}
	return object.Section{VMAddr: s.VMAddr, Data: s.Data}, nil
}
