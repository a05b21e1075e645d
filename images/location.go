package images

import (
	"stacksnap/images/object"
	"stacksnap/task"
)

// Location is what is known of one code address.
type Location struct {
	Image    *Image    // nil: no image is mapped there
	Function string    // as people know it, demangled; empty when no symbol covers the address
	Raw      string    // the symbol as the file has it
	Overload string    // tells functions apart that have the same name, as Swift's do; empty for others
	Offset   uint64    // from the function's start, from the image's load address when there is none
	Start    task.Addr // of a function without a name; 0 when it is not known
	Inlined  bool      // inlined into the location that follows
	File     string    // source file, line and column, empty and 0 when not known
	Line     int
	Column   int
}

// Locate names an instruction address. A return address is looked up by the
// call before it, so isReturn takes one byte off for the look-up; the offset
// stays that of a itself.
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

// locateGenerated names generated code. Its names are as their compiler writes
// them: mangled in no way, and an @ in one begins no version. Where the code is in the
// source is told at once, as by the time of a report there may be other code.
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
