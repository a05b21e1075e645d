package owncode

import (
	"slices"
	"strings"

	"stacksnap/format/profile"
)

// startupNames are the beginnings of the qualified names of library functions through which a
// thread only passes on the way to its own first function.
var startupNames = []string{
	"std::rt::", "std::panicking::", "std::panic::", "std::sys::backtrace::", "std::sys_common::backtrace::",
	"std::thread::", "std::sys::thread::", "std::sys::pal::", "core::ops::function::", "core::panic::unwind_safe::",
	"<core::panic::unwind_safe::", "<alloc::boxed::Box<", "__rust_begin_short_backtrace", "__rust_try", // Rust
	"std::__invoke", "std::_Bind", "__invoke", "_M_invoke", "_M_run", "execute_native_thread_routine", // C++
}

// startupFiles are the files of the C++ library whose functions only call the function that a
// thread was created with.
var startupFiles = []string{"/std_thread.h", "/invoke.h", "/thread.cc"}

// IsStartup reports whether a thread only passes through a function on the way to its own first
// function. The runtimes of C, C++, Rust and Go, and dyld, call such functions before main, and
// before the function that a thread was created with.
func IsStartup(l *profile.Location) bool {
	name, _, _ := strings.Cut(l.Function, "@")
	switch {
	case isBeginning(name):
		return true
	case l.Function == "" || Is(l):
		return false
	}
	return strings.Contains(l.Function, " as core::ops::function::Fn") || hasPrefix(Qualified(l.Function), startupNames) || hasSuffix(l.File, startupFiles)
}

// threadStart are the functions of Python's library through which a thread reaches its own first
// function. Up to 3.10 their names are not qualified.
var threadStart = []string{"_bootstrap", "_bootstrap_inner", "run"}

// IsPythonStartup reports whether a thread only passes through frame i of a stack on the way to
// its first Python function. The stack begins with the outermost frame. The frames before i must
// be such frames, too.
func IsPythonStartup(stack []*profile.Node, i int) bool {
	if n := stack[i]; n.Image.IsCPython() {
		return strings.HasSuffix(n.File, "/threading.py") && slices.Contains(threadStart, n.Function[strings.LastIndexByte(n.Function, '.')+1:])
	}
	for _, n := range stack[i:] {
		if n.Image.IsCPython() || !isInterpreter(n) {
			return n.Image.IsCPython()
		}
	}
	return false
}

// isInterpreter reports whether a frame is in the interpreter itself, by the name of its file.
func isInterpreter(n *profile.Node) bool {
	if n.Image == nil || n.Image.Runtime {
		return false
	}
	name := strings.ToLower(n.Image.Path[strings.LastIndexByte(n.Image.Path, '/')+1:])
	return strings.HasPrefix(strings.TrimPrefix(name, "lib"), "python")
}

func hasSuffix(s string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}
