package images

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"stacksnap/task"
)

// Location is what is known of one code address.
type Location struct {
	Image    *Image // nil: no image is mapped there
	Function string // demangled; empty when no symbol covers the address
	Raw      string // the symbol as the file has it
	Offset   uint64 // from the function's start, from the image's load address when there is none
	Inlined  bool   // inlined into the location that follows
	File     string // source file and line, empty and 0 when not known
	Line     int
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
		return Location{}
	}
	loc := Location{Image: im, Offset: uint64(a - im.Load)}
	if im.File == nil {
		return loc
	}
	if sym, ok := im.File.Symbol(im.VMAddr(at)); ok {
		loc.Raw = sym.Name
		loc.Function = demangle.Filter(unversioned(sym.Name), demangle.NoClones)
		loc.Offset = im.VMAddr(a) - sym.VMAddr
	}
	return loc
}

// unversioned cuts an ELF symbol version off: read@@GLIBC_2.2.5 is read. The
// name of a stub, read@plt, stays.
func unversioned(name string) string {
	base, version, found := strings.Cut(name, "@")
	if !found || base == "" || version == "plt" {
		return name
	}
	return base
}
