package images

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// Location is the function and source line at a code address.
type Location struct {
	Image    *Image    // nil: no image is mapped there
	Function string    // demangled, as in the source; "" when no symbol covers the address
	Raw      string    // the symbol as in the file
	Overload string    // distinguishes functions of the same name, as in Swift; else ""
	Offset   uint64    // from the function's start, or from the image's load address without a function
	Start    task.Addr // start of a function without a name; 0 when not known
	Inlined  bool      // inlined into the next location
	File     string    // source file, line and column; "" and 0 when not known
	Line     int
	Column   int
}

// Locate returns the function at an instruction address. If isReturn is true, a is a
// return address: Locate looks up the byte before it, which belongs to the call, but
// Offset is that of a.
func (m *Map) Locate(a task.Addr, isReturn bool) Location {
	at := a
	if isReturn && a > 0 {
		at--
	}
	im, ok := m.Find(at)
	if !ok {
		return m.locateGenerated(a, at)
	}
	loc := Location{Image: im, Offset: uint64(a - im.Load)}
	if im.File == nil {
		return loc
	}
	if sym, ok := im.File.Symbol(im.VMAddr(at)); ok {
		loc.Raw = sym.Name
		loc.Function = im.known(&sym)
		loc.Overload = overload(&sym)
		loc.Offset = im.VMAddr(a) - sym.VMAddr
	} else if start, ok := im.File.FunctionStart(im.VMAddr(at)); ok {
		loc.Start = im.Addr(start)
	}
	return loc
}

// locateGenerated locates JIT-compiled code. Its names are used as its compiler wrote
// them: they are not mangled, and an @ does not start a version. The source line is
// looked up now, because other code may be there when the report is written.
func (m *Map) locateGenerated(a, at task.Addr) Location {
	g, ok := m.GeneratedAt(at)
	if !ok {
		return Location{}
	}
	sym, ok := g.File.Symbol(uint64(at))
	if !ok {
		return Location{}
	}
	loc := Location{Image: g, Function: sym.Name, Raw: sym.Name, Offset: uint64(a) - sym.VMAddr}
	if source := object.SourceOf(g.File, uint64(at)); len(source) > 0 {
		loc.File, loc.Line = source[0].File, source[0].Line
	}
	return loc
}
