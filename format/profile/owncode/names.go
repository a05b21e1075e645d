package owncode

import (
	"path"
	"slices"
	"strings"

	"stacksnap/format/profile"
)

// foreignNames are the beginnings of the qualified names of functions of standard libraries, of
// compilers and of libraries that are linked into a program.
var foreignNames = []string{
	"std::", "__gnu_cxx::", "__cxxabiv1::", "__gnu_", "__gthread", "boost::", // C++
	"_M_", "_S_", // members of libstdc++'s classes, as inlined calls name them
	"__rust", "_rust_", // Rust
	"Swift.", "_Concurrency.", "_StringProcessing.", "Foundation.", "Dispatch.", "Combine.", // Swift
	"partial apply", "reabstraction thunk", "protocol witness", "merged ",
	"os.linux.", "posix.", "std.", // Zig
	"uv_", "v8::", // in Node itself
}

// foreignCrates are the beginnings of the names in Rust's library; a C++ namespace may have the
// same name.
var foreignCrates = []string{"core::", "alloc::", "std::", "proc_macro::", "hashbrown::", "compiler_builtins::", "rust_"}

// isForeign reports whether the name of a function shows that it is not own code.
func isForeign(l *profile.Location) bool {
	name := Qualified(l.Function)
	inner, isMethod := strings.CutPrefix(name, "<")
	switch isRust := path.Ext(l.File) == ".rs" || l.File == "" && strings.HasSuffix(l.Function, name); {
	case isMethod:
		return isForeignMethod(inner)
	case isRust && hasPrefix(name, foreignCrates):
		return true
	}
	return hasPrefix(name, foreignNames)
}

func hasPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}

// isForeignMethod is isForeign for the part after the < of a Rust method, <type as trait>::name.
// The method is foreign only if type and trait are. A type without a path is a parameter, or a
// type of the language.
func isForeignMethod(name string) bool {
	end := matching(name)
	of, trait, isTrait := strings.Cut(name[:end], " as ")
	of = strings.TrimLeft(of, "&*([ ")
	for _, word := range []string{"mut ", "const ", "dyn "} {
		of = strings.TrimPrefix(of, word)
	}
	isForeignType := !strings.Contains(of, "::") || hasPrefix(of, foreignCrates)
	if !isTrait {
		return isForeignType
	}
	return isForeignType && hasPrefix(trait, foreignCrates)
}

// matching returns the index of the > that closes the < just before s, or the length of s.
func matching(s string) int {
	depth := 1
	for i := range len(s) {
		switch {
		case s[i] == '<':
			depth++
		case s[i] == '>' && i > 0 && s[i-1] != '-':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

const operator = "operator"

// Qualified returns a function's name with its namespaces, without its return type and
// parameters: std::vector<int>::push_back for "void std::vector<int>::push_back(int const&)".
func Qualified(name string) string {
	from, depth := 0, 0
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case depth == 0 && strings.HasPrefix(name[i:], operator):
			return name[from:]
		case c == '(' && depth == 0 && i > from && !strings.HasPrefix(name[i:], "(anonymous") && !strings.HasSuffix(name[:i], "decltype"):
			return name[from:i]
		case c == '<' || c == '(' || c == '[' || c == '{':
			depth++
		case c == '>' && i > 0 && name[i-1] == '-':
		case c == '>' || c == ')' || c == ']' || c == '}':
			depth--
		case c == ' ' && depth == 0:
			from = i + 1
		}
	}
	return name[from:]
}

// isGo reports whether a function is in Go's library: by the file that Go's own table names or,
// if that is not known, by the package.
func isGo(l *profile.Location) bool {
	switch path.Ext(l.File) {
	case ".go", ".s":
		return true
	case "":
		return l.File == "" && (strings.HasPrefix(l.Function, "runtime.") || strings.HasPrefix(l.Function, "sync.") || strings.HasPrefix(l.Function, "internal/"))
	}
	return false
}

// isGoPackage reports whether a name is the first element of a package's path in Go's standard library.
func isGoPackage(name string) bool {
	switch name {
	case "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
		"debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io",
		"iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort",
		"strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "type:", "unicode", "unique", "unsafe",
		"vendor", "weak":
		return true
	}
	return false
}

func isGoStandard(function string) bool {
	i := strings.IndexAny(function, "./")
	return i > 0 && isGoPackage(function[:i])
}

// isOwnGenerated reports whether code that a compiler made at run time is the program's own.
// Virtual machines have special names for their helpers, and name a program's functions by class
// and file.
func isOwnGenerated(name string) bool {
	switch {
	case strings.Contains(name, " node:"), strings.Contains(name, "/node_modules/"):
		return false
	case strings.Contains(name, " /"), strings.Contains(name, " file:"): // V8: "JS:~work /srv/app.js:12:3"
		return true
	}
	class := strings.TrimPrefix(name, "L") // Java: "Lshop/Clerk;::work", "shop.Clerk::work"
	return strings.Contains(name, "::") && !hasPrefix(class, javaPackages)
}

// javaPackages are the beginnings of the names of classes that come with Java.
var javaPackages = []string{"java/", "java.", "javax", "jdk/", "jdk.", "sun/", "sun.", "com/sun/", "com.sun."}
