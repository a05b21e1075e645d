package owncode

import (
	"path"
	"slices"
	"strings"

	"stacksnap/format/profile"
)

// foreignFolders are parts of the paths of sources of standard libraries and of packages by
// others.
var foreignFolders = []string{
	"/usr/include/", "/usr/local/include/", "/usr/lib/gcc/", "/usr/lib/llvm", "/usr/lib/clang/", "/include/c++/", "/c++/v1/", // C and C++
	"/libstdc++-v3/", "/libgcc/", "/glibc-2", "/sysdeps/", "/nptl/", "/csu/", // as distributions build them
	"/rustc/", "/.cargo/registry/", "/.cargo/git/", "/lib/rustlib/", "/.rustup/toolchains/", "/library/std/src/", "/library/core/src/", "/library/alloc/src/",
	"/pkg/mod/", "/usr/local/go/src/", "/usr/lib/go", "/vendor/github.com/", "/vendor/golang.org/", "/vendor/google.golang.org/", "/vendor/gopkg.in/",
	"/zig/lib/", "/zig/std/", "/lib/zig/", "/lib/std/",
	"/Applications/Xcode.app/", "/Library/Developer/", "/opt/homebrew/", "/usr/local/Cellar/",
	"/node_modules/", "/site-packages/", "/dist-packages/", "/nix/store/", "/vcpkg/", "/.conan/",
}

// isForeignFile reports whether a source file belongs to a standard library or to others. The C
// library's paths are relative to where it was built ("../sysdeps/…").
func isForeignFile(file string) bool {
	switch {
	case file == "":
		return false
	case hasPrefix(file, []string{"../sysdeps/", "../nptl/", "../csu/", "./nptl/", "./csu/", "<"}):
		return true
	}
	file = strings.ReplaceAll(file, `\`, "/")
	if slices.ContainsFunc(foreignFolders, func(folder string) bool { return strings.Contains(file, folder) }) {
		return true
	}
	if isStandardHeader(file) {
		return true
	}
	return strings.Contains(file, "@v") && strings.HasSuffix(file, ".go") // in a module, built with -trimpath
}

// isStandardHeaderName reports whether a name is that of a header of the C++ library with code that calls the program's: smart pointers,
// functions, threads, containers. The names of others, for algorithms and containers, begin with "stl_".
func isStandardHeaderName(name string) bool {
	switch name {
	case "unique_ptr.h", "shared_ptr.h", "shared_ptr_base.h", "std_function.h", "std_thread.h", "std_mutex.h", "unique_lock.h", "invoke.h",
		"predefined_ops.h", "alloc_traits.h", "new_allocator.h", "hashtable.h", "hashtable_policy.h", "basic_string.h", "basic_string.tcc",
		"gthr-default.h", "refwrap.h", "atomic_wait.h", "semaphore_base.h", "list.tcc", "vector.tcc", "deque.tcc", "ranges_algo.h",
		"any", "functional", "future", "memory", "mutex", "optional", "thread", "tuple", "variant", "condition_variable", "shared_mutex",
		"vector", "map", "string", "deque", "list", "unordered_map", "algorithm", "chrono":
		return true
	}
	return false
}

// isStandardHeader reports whether a source file, named without its directory as in some
// reports, is a header of the C++ library.
func isStandardHeader(file string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(file, "bits/"), "__memory/")
	return isStandardHeaderName(name) || strings.HasPrefix(name, "stl_") && path.Ext(name) == ".h" && !strings.Contains(name, "/")
}

// systemFolders are the beginnings of the paths of libraries that come with a system, a language
// or a package manager.
var systemFolders = []string{
	"/lib/", "/lib32/", "/lib64/", "/libx32/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libexec/", "/usr/local/lib/",
	"/usr/share/", "/System/", "/Library/Apple/", "/Library/Developer/", "/opt/homebrew/", "/usr/local/Cellar/", "/nix/store/",
	"/gnu/store/", "/snap/", "/app/lib/",
}

// runtimeLibraries are the beginnings of the names of libraries of languages and systems, in any
// directory.
var runtimeLibraries = []string{
	"ld-linux", "ld-musl", "ld.so", "libc.so", "libc-", "libc.musl", "libpthread", "libm.so", "libdl.", "librt.", "libresolv",
	"libgcc_s", "libstdc++", "libc++", "libunwind", "libgomp", "libomp", "libtbb", "libasan", "libtsan", "libubsan", "liblsan",
	"libclang_rt", "libjemalloc", "libtcmalloc", "libmimalloc", "libuv", "libev", "libevent", "libglib-", "libgobject-", "libgio-",
	"libssl", "libcrypto", "libpq.", "libpython", "libruby", "libperl", "libnode", "libv8", "libjvm", "libjli", "libjava", "libnio",
	"libnet.", "libcoreclr", "libclrjit", "libSystem", "libhostfxr", "libhostpolicy", "libmono", "libgo.", "libstd-", "libswift",
	"libdyld", "libsystem_", "libdispatch", "libobjc", "linux-vdso", "[vdso]", "libboost_", "libQt", "libgtk-",
}

// isOwnImage reports whether an image can have own code: the program itself, and libraries other
// than those of the system and of runtimes.
func isOwnImage(im *profile.Image) bool {
	if im.Main {
		return !isPython(path.Base(im.Path))
	}
	if !strings.HasPrefix(im.Path, "/") {
		return false // too little is known of it: "[vdso]", a report without paths
	}
	if isPythonLibrary(im.Path) || isForeignFile(im.Path) {
		return false // an extension module, of the language's or of others
	}
	return !hasPrefix(im.Path, systemFolders) && !hasPrefix(path.Base(im.Path), runtimeLibraries)
}
