package images

import (
	"errors"
	"strings"

	"stacksnap/images/internal/demangle"
	"stacksnap/images/object"
	"stacksnap/images/swift"
)

// known returns the function name to show for s: its public name if it has one,
// demangled and without version or clone suffix.
func (im *Image) known(s *object.Symbol) string {
	name := s.Name
	if s.Public != "" {
		name = s.Public
	}
	name = unversioned(name)
	// glibc's name for its own calls to a function that it also exports
	// (include/libc-symbols.h, hidden_proto).
	name = strings.TrimPrefix(name, "__GI_")
	return demangled(im.uncloned(name))
}

// overload distinguishes Swift functions of the same name, which are shown without
// argument types. It is "" for others.
func overload(s *object.Symbol) string {
	if !swift.IsMangled(s.Name) {
		return ""
	}
	return swift.Base(s.Name)
}

// demangled returns a symbol as written in the source.
func demangled(symbol string) string {
	for _, stub := range stubs {
		if target, ok := strings.CutPrefix(symbol, stub); ok {
			return stub + demangledFunction(target)
		}
	}
	return demangledFunction(symbol)
}

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
	return demangle.Filter(symbol, demangle.NoClones)
}

// stubs are the prefixes of symbols of code that calls a function of another image.
var stubs = [...]string{"DYLD-STUB$$", "stub helper for "}

// demangledMethod demangles the Swift class in an Objective-C method name: -[Clerk
// work] for -[_TtC4shop5Clerk work].
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

// unversioned removes an ELF symbol version: read@@GLIBC_2.2.5 becomes read. The
// suffix of a stub, read@plt, stays.
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

// stubSuffix is the suffix of names of ELF stubs.
const stubSuffix = "@plt"

// clones are the suffixes that compilers append, with a number, to the name of a
// function that they have copied or split (GCC, clone_function_name; LLVM,
// HotColdSplitting and ThinLTO's promotion).
var clones = map[string]bool{
	"constprop": true, "isra": true, "part": true, "lto_priv": true, "localalias": true,
	"cold": true, "llvm": true, "clone": true,
}

// uncloned removes clone suffixes: parse.constprop.0 and parse.cold become parse. Go
// has names that only look like clones, without a number: main.cold is a function of
// package main.
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

// cutLast splits a name at its last dot. before is "" without a dot.
func cutLast(name string) (before, after string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isGo reports whether Go's linker wrote the image.
func (im *Image) isGo() bool {
	if im.File == nil {
		return false
	}
	_, err := im.File.Section(object.GoPCLnTab)
	return !errors.Is(err, object.ErrNoSection)
}
