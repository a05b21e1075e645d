// Copyright 2015 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package demangle demangles the names of C++ and Rust functions as the Itanium C++ ABI
// and Rust RFC 2603 have them.
//
// It is github.com/ianlancetaylor/demangle at 83e58baca724 (July 2026), whose licence is
// in LICENSE beside it. Left out are its tests, its c++filt, the printing of trees for
// debugging, the offsets of errors, and all options but two: nobody asks here for verbose
// names, or for names without parameters, template arguments, ABI tags or Rust. It is
// copied because names came out wrong for which no release of it has a cure: 1.1 % of
// those of librustc_driver, and many of templates that clang has compiled. Its three files
// are divided by subject: node_*.go have the nodes of a C++ name and how each is printed,
// parse_*.go make them, rust*.go demangle Rust. The changes:
//
//   - A node lists its parts (clone and parts, beside its type), and to walk or to copy a
//     tree is one function for all nodes (parts.go), where each node had its own.
//   - Rust: a zero is a whole decimal number, so digits may follow an empty identifier, as
//     in closures within closures; an empty identifier has no separator; a constant of 128
//     bits may have zeros at its end; in the legacy mangling an underscore belongs to the
//     identifier, for no compiler puts one behind a length.
//   - The scope of an unresolved name (sr) is read as the ABI and clang have it: its names
//     are no substitution candidates. Where a name cannot be read so, it is read as GCC
//     writes it, with a whole type for the scope.
//   - The packs of a conversion operator's type are expanded, and a pack that a type
//     mentions twice is expanded in both places; an empty one leaves no comma behind.
//   - A vendor qualifier and the CV-qualifiers behind it are one substitution candidate,
//     and what is substituted in the qualified type is kept; Objective-C's protocols.
//   - Names with Mach-O's underscore, as long as they are of C++.
//   - In LLVMStyle: what llvm-cxxfilt 22 prints for operator< of a template, .* and &,
//     exception specifications, sizeof..., folds and packs.
//   - Length, nesting, and the work for one name are bounded, for a hostile program names
//     its functions as it likes: names are left as they are beyond the bounds.
//
// Of LLVM's list of 29,926 names (libcxxabi/test/DemangleTestCases.inc) all but ten come
// out as of llvm-cxxfilt 22. One of them it only seems to read: _Zcv1BIRT_EIS1_E, of a
// fuzzer, as operator B<><>. For the others it takes a template parameter for that of
// another template, where this package shows the right one: the parameters of the
// operator() of generic lambdas (_ZZ11inline_funcvENKUlTyTyT_T0_E_clIiiEEDaS_S0_ is
// operator()<int, int>(int, int), not ($T, $T0)), and parameters substituted across the
// scopes of two functions. Those of libLLVM 22 (26 of 50,498) differ for that too.
package demangle

import (
	"errors"
	"slices"
	"strings"
)

// ErrNotMangledName is the error of a string that is no mangled name at all.
var ErrNotMangledName = errors.New("not a C++ or Rust mangled name")

// Option is the type of demangler options.
type Option int

const (
	// The NoClones option disables inclusion of clone suffixes.
	NoClones Option = iota

	// LLVMStyle demangles as llvm-cxxfilt does, which does not know the
	// old-style mangled names of Rust: they are those of C++.
	LLVMStyle
)

// maxLength bounds the bytes of a demangled name.
const maxLength = 1 << 16

// Filter demangles a C++ or Rust symbol name,
// returning the human-readable C++ or Rust name.
// If any error occurs during demangling, the input string is returned.
func Filter(name string, options ...Option) string {
	ret, err := demangle(name, slices.Contains(options, NoClones), slices.Contains(options, LLVMStyle))
	if err != nil {
		return name
	}
	return ret[:min(len(ret), maxLength)]
}

// demangle demangles a C++ or Rust symbol name.
// If the name does not appear to be a C++ or Rust symbol name at all,
// the error will be ErrNotMangledName.
func demangle(name string, noClones, llvmStyle bool) (string, error) {
	if strings.HasPrefix(name, "_R") {
		return rustToString(name, llvmStyle)
	}

	// Mach-O puts an underscore before each name.
	if strings.HasPrefix(name, "__Z") || strings.HasPrefix(name, "____Z") {
		name = name[1:]
	}

	// Check for an old-style Rust mangled name.
	// It starts with _ZN and ends with "17h" followed by 16 hex digits
	// followed by "E" followed by an optional suffix starting with "."
	// (which we ignore).
	if strings.HasPrefix(name, "_ZN") && !llvmStyle {
		rname := name
		if pos := strings.LastIndex(rname, "E."); pos > 0 {
			rname = rname[:pos+1]
		}
		if strings.HasSuffix(rname, "E") && len(rname) > 23 && rname[len(rname)-20:len(rname)-17] == "17h" {
			if s, ok := oldRustToString(rname); ok {
				return s, nil
			}
		}
	}

	a, err := toAST(name, !noClones)
	if err != nil {
		return "", err
	}
	return astToString(a, llvmStyle), nil
}

// toAST demangles a C++ symbol name into an abstract syntax tree
// representing the symbol.
// If the name does not appear to be a C++ symbol name at all, the
// error will be ErrNotMangledName.
func toAST(name string, clones bool) (AST, error) {
	if strings.HasPrefix(name, "_Z") {
		return doDemangle(name[2:], clones)
	}

	if strings.HasPrefix(name, "___Z") {
		// clang extensions
		block := strings.LastIndex(name, "_block_invoke")
		if block == -1 {
			return nil, ErrNotMangledName
		}
		a, err := doDemangle(name[4:block], clones)
		if err != nil {
			return a, err
		}
		name = strings.TrimPrefix(name[block:], "_block_invoke")
		if len(name) > 0 && name[0] == '_' {
			name = name[1:]
		}
		for len(name) > 0 && isDigit(name[0]) {
			name = name[1:]
		}
		if len(name) > 0 && name[0] != '.' {
			return nil, errors.New("unparsed characters at end of mangled name")
		}
		a = &Special{Prefix: "invocation function for block in ", Val: a}
		return a, nil
	}

	const ctorDtorPrefix = "_GLOBAL_"
	if strings.HasPrefix(name, ctorDtorPrefix) {
		return globalCDtorName(name[len(ctorDtorPrefix):], clones)
	}

	const allocTokenPrefix = "__alloc_token_"
	if strings.HasPrefix(name, allocTokenPrefix) {
		return allocToken(name[len(allocTokenPrefix):], clones)
	}

	return nil, ErrNotMangledName
}

// globalCDtorName demangles a global constructor/destructor symbol name.
// The parameter is the string following the "_GLOBAL_" prefix.
func globalCDtorName(name string, clones bool) (AST, error) {
	if len(name) < 4 {
		return nil, ErrNotMangledName
	}
	switch name[0] {
	case '.', '_', '$':
	default:
		return nil, ErrNotMangledName
	}

	var ctor bool
	switch name[1] {
	case 'I':
		ctor = true
	case 'D':
		ctor = false
	default:
		return nil, ErrNotMangledName
	}

	if name[2] != '_' {
		return nil, ErrNotMangledName
	}

	if !strings.HasPrefix(name[3:], "_Z") {
		return &GlobalCDtor{Ctor: ctor, Key: &Name{Name: name}}, nil
	} else {
		a, err := doDemangle(name[5:], clones)
		if err != nil {
			return nil, err
		}
		return &GlobalCDtor{Ctor: ctor, Key: a}, nil
	}
}

// allocToken handles Clang allocation token names,
// as described at https://clang.llvm.org/docs/AllocToken.html.
// Here name is the name after the __alloc_token_ prefix.
//
// As far as I can tell only a few such names are ever generated,
// so I don't know why they introduced a new mangling scheme,
// but it seems that they did.
func allocToken(name string, clones bool) (AST, error) {
	// Names look like __alloc_token_[num_]NAME
	// We've skipped the __alloc_token_ already.
	// The num is not included in the demangled name.

	adj := 0
	if len(name) > adj && isDigit(name[adj]) {
		adj++
		for len(name) > adj && isDigit(name[adj]) {
			adj++
		}
		if len(name) <= adj || name[adj] != '_' {
			return nil, ErrNotMangledName
		}
		adj++
	}
	if !strings.HasPrefix(name[adj:], "_Z") {
		return nil, ErrNotMangledName
	}
	adj += 2
	a, err := doDemangle(name[adj:], clones)
	if err == nil {
		a = &Clone{Base: a, Suffix: ".alloc_token"}
	}
	return a, err
}

// doDemangle demangles a name by the rules of clang, and if that fails by those of
// GCC: they differ in the scopes of unresolved names.
func doDemangle(name string, clones bool) (AST, error) {
	a, err := demangleName(name, false, clones)
	if err != nil && strings.Contains(name, "sr") {
		if a, err := demangleName(name, true, clones); err == nil {
			return a, nil
		}
	}
	return a, err
}

// maxName bounds the bytes of a name. A list of scopes is as deep a tree as it is long.
const maxName = 1 << 16

// demangleName is the entry point into the demangler proper.
func demangleName(name string, typeScopes, clones bool) (ret AST, err error) {
	if len(name) > maxName {
		return nil, errors.New("name is too long")
	}

	// When the demangling routines encounter an error, they panic
	// with a value of type demangleErr.
	defer func() {
		if r := recover(); r != nil {
			if de, ok := r.(demangleErr); ok {
				ret = nil
				err = de
				return
			}
			panic(r)
		}
	}()

	st := &state{str: name, typeScopes: typeScopes}
	a := st.encoding(notForLocalName)

	// Accept a clone suffix.
	if clones {
		for len(st.str) > 1 && st.str[0] == '.' && (isLower(st.str[1]) || st.str[1] == '_' || isDigit(st.str[1])) {
			a = st.cloneSuffix(a)
		}
	}

	if clones && len(st.str) > 0 {
		st.fail("unparsed characters at end of mangled name")
	}

	return a, nil
}
