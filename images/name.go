package images

import (
	"errors"
	"strings"

	"stacksnap/images/internal/demangle"
	"stacksnap/images/object"
	"stacksnap/images/swift"
)

// known is the name by which people know a function: a public one where there is
// such, as the source has it.
func (im *Image) known(s *object.Symbol) string {
	name := s.Name
	if s.Public != "" {
		name = s.Public
	}
	name = unversioned(name)
	// The C library calls a function that others have, too, so for its own calls
	// (glibc, include/libc-symbols.h, hidden_proto).
	name = strings.TrimPrefix(name, "__GI_")
	return demangled(im.uncloned(name))
}

// overload tells the functions of Swift apart that have the same name, for those are
// told without the types of their arguments; it is empty for others.
func overload(s *object.Symbol) string {
	if !swift.IsMangled(s.Name) {
		return ""
	}
	return swift.Base(s.Name)
}

// demangled is a symbol as the source has it.
func demangled(symbol string) string {
	for _, stub := range stubs {
		if target, ok := strings.CutPrefix(symbol, stub); ok {
			return stub + demangledFunction(target)
		}
	}
	return demangledFunction(symbol)
}

// maxDemangled bounds the bytes of a name, as a power of 2.
const maxDemangled = 16

func demangledFunction(symbol string) string {
	if mangled, version, found := strings.Cut(symbol, "@"); found && mangled != "" {
		return demangledFunction(mangled) + "@" + version
	}
	if name, ok := demangledMethod(symbol); ok {
		return name
	}
	if name, ok := swift.Simplify(symbol); ok {
		return name
	}
	if name, ok := plainly(symbol); ok {
		return name
	}
	return demangle.Filter(symbol, demangle.NoClones, demangle.MaxLength(maxDemangled))
}

// stubs begin the names of code that calls a function of another image.
var stubs = [...]string{"DYLD-STUB$$", "stub helper for "}

// demangledMethod is a method of Objective-C of a class that was written in Swift, which
// the runtime knows by its mangled name: -[Clerk work] for -[_TtC4shop5Clerk work].
func demangledMethod(symbol string) (string, bool) {
	if !strings.HasPrefix(symbol, "-[_Tt") && !strings.HasPrefix(symbol, "+[_Tt") {
		return "", false
	}
	class := symbol[len("-["):]
	end := strings.IndexAny(class, "( ")
	if end < 0 {
		return "", false
	}
	name, ok := swift.Simplify(class[:end])
	return symbol[:len("-[")] + name + class[end:], ok
}

// unversioned cuts an ELF symbol version off: read@@GLIBC_2.2.5 is read. That it is the
// name of a stub, read@plt, stays.
func unversioned(name string) string {
	base, _, found := strings.Cut(name, "@")
	switch {
	case !found || base == "":
		return name
	case strings.HasSuffix(name, stubSuffix):
		return base + stubSuffix
	}
	return base
}

// stubSuffix ends the names of an ELF file's stubs.
const stubSuffix = "@plt"

// clones are what compilers append to the name of a function for a copy or a part
// of it that they have made (GCC, clone_function_name; LLVM, HotColdSplitting and
// ThinLTO's promotion), and a number.
var clones = map[string]bool{
	"constprop": true, "isra": true, "part": true, "lto_priv": true, "localalias": true,
	"cold": true, "llvm": true, "clone": true,
}

// uncloned cuts those off: parse.constprop.0 and parse.cold are parse. Without a
// number, Go has such names of its own: main.cold is a function of package main.
func (im *Image) uncloned(name string) string {
	for {
		base, suffix := cutLast(name)
		if isNumber(suffix) {
			if base, suffix = cutLast(base); !clones[suffix] {
				return name
			}
		} else if suffix != "cold" && suffix != "localalias" || im.isGo() {
			return name
		}
		if base == "" {
			return name
		}
		name = base
	}
}

// cutLast splits a name at its last dot; what is before is empty where there is none.
func cutLast(name string) (before, after string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isGo reports whether Go's linker has made the image.
func (im *Image) isGo() bool {
	if im.File == nil {
		return false
	}
	_, err := im.File.Section(object.GoPCLnTab)
	return !errors.Is(err, object.ErrNoSection)
}
