// Package swift reads the names that the Swift compiler gives to symbols.
//
// A mangled name is parsed to a tree, which is rendered in one of two ways: in
// full, as swift-demangle prints it, or simplified, as swift-demangle -simplified
// and Xcode's stacks do: without modules, types and the arguments of
// specializations.
//
// The manglings are those of Swift 5 and later ($s; $e of Embedded Swift;
// @__swiftmacro_ in the names of files), of Swift 4 (_T0, $S), and of Swift before
// that (_T), which the Objective-C runtime still sees. They are described in
// docs/ABI/Mangling.rst and docs/ABI/OldMangling.rst of the Swift repository.
//
// The mangling since Swift 4 is parsed here, and the one before it in internal/old. Both make the
// tree of internal/tree, which internal/render prints. The text for an operator is written beside
// its parsing, as in metadata.go and thunk.go; render has what depends on the rest of the tree.
//
// The work is bounded for any name: see the limits below and those of internal/tree.
package swift

import (
	"strings"

	"stacksnap/images/swift/internal/old"
	"stacksnap/images/swift/internal/render"
	"stacksnap/images/swift/internal/tree"
)

// Limits for one name. A name that exceeds one is not demangled.
const (
	maxName  = 1 << 15 // bytes of a mangled name
	maxStack = 1 << 14 // nodes on the parser's stack
)

// prefixes begin the names of the current mangling.
var prefixes = [...]string{"$s", "_$s", "$S", "_$S", "$e", "_$e", "_T0", "@__swiftmacro_"}

const (
	oldTypePrefix  = "_Tt" // names of types, as the Objective-C runtime has them
	machoOldPrefix = "__T" // with the underscore that Mach-O puts before each symbol
	machoPrefix    = "__$"
)

// IsMangled reports whether a symbol begins like a mangled name of Swift.
func IsMangled(symbol string) bool {
	return len(symbol) > 2 && strings.IndexByte("$_@", symbol[0]) >= 0 &&
		(prefixLength(symbol) > 0 || strings.HasPrefix(symbol, old.Prefix) || strings.HasPrefix(symbol, machoOldPrefix) || strings.HasPrefix(symbol, machoPrefix))
}

// Demangle returns the full rendering of a Swift symbol, with modules, types and
// generic signatures. It reports false if the symbol is not a mangled name.
func Demangle(symbol string) (string, bool) { return demangle(symbol, false) }

// Simplify returns the short rendering of a Swift symbol, as stacks show it: closure
// #1 in Foo.bar(). It reports false if the symbol is not a mangled name.
func Simplify(symbol string) (string, bool) { return demangle(symbol, true) }

// Base returns a Swift symbol without what distinguishes the parts of one async
// function: the suffix of a compiler pass, .resume.0, and the number of the await
// after which the part continues, TQ0_ or TY1_. Functions with the same simplified
// name, such as overloads, have different bases.
func Base(symbol string) string {
	base, _, _ := strings.Cut(symbol, ".")
	for strings.HasSuffix(base, "_") {
		whole := strings.TrimRight(base[:len(base)-1], "0123456789")
		if !strings.HasSuffix(whole, "TQ") && !strings.HasSuffix(whole, "TY") {
			break
		}
		base = whole[:len(whole)-len("TQ")]
	}
	return base
}

func demangle(symbol string, simple bool) (string, bool) {
	if !IsMangled(symbol) {
		return "", false
	}
	root := parse(withoutUnderscore(symbol))
	if root == nil {
		return "", false
	}
	return render.Tree(root, simple, parse)
}

// parse returns the tree of a mangled name, nil if the name is invalid.
func parse(name string) *tree.Node {
	if len(name) > maxName {
		return nil
	}
	if n := prefixLength(name); n > 0 {
		return newParser(name, n).symbol()
	}
	if strings.HasPrefix(name, old.Prefix) {
		return old.Parse(name[len(old.Prefix):])
	}
	return nil
}

func prefixLength(name string) int {
	for _, prefix := range prefixes {
		if strings.HasPrefix(name, prefix) {
			return len(prefix)
		}
	}
	return 0
}

// withoutUnderscore removes the underscore that Mach-O puts before each symbol, in
// addition to one of the mangling itself.
func withoutUnderscore(symbol string) string {
	if strings.HasPrefix(symbol, machoOldPrefix) || strings.HasPrefix(symbol, machoPrefix) {
		return symbol[1:]
	}
	return symbol
}
