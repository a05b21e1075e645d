package images

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// Source tells where in the source an instruction address is, by the image's debugging
// information: of the function that has the frame, then of the calls inlined there,
// from the outermost in. It returns nil where nothing is known. A return address is
// looked up by the call before it. This may read much of a file. Of generated code
// [Map.Locate] tells.
func (im *Image) Source(a task.Addr, isReturn bool) []Location {
	at := a
	if isReturn && a > 0 {
		at--
	}
	if im.File == nil || im.Generated {
		return nil
	}
	frames := object.SourceOf(im.File, im.VMAddr(at))
	list := make([]Location, 0, len(frames))
	for i := len(frames) - 1; i >= 0; i-- {
		f := &frames[i]
		sym := object.Symbol{Name: f.Function}
		loc := Location{Image: im, Function: im.known(&sym), Raw: f.Function, Overload: overload(&sym), Inlined: i < len(frames)-1}
		if f.Low != 0 {
			loc.Start = im.Addr(f.Low)
		}
		if f.Line > 0 && f.File != "" {
			loc.File, loc.Line, loc.Column = f.File, f.Line, f.Column
		}
		list = append(list, loc)
	}
	return list
}
