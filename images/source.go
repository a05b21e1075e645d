package images

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// Source returns the source lines of an instruction address by the image's debugging
// information: of the function itself, then of the calls inlined there, from the
// outermost in. It returns nil if there is none. If isReturn is true, it looks up the
// call before a. It may read much of a file. For generated code use [Map.Locate].
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
