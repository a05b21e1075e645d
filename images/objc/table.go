// Package objc names methods by the class metadata that Objective-C's runtime
// reads, which strip leaves in a program: -[NSView setNeedsDisplay:]. The layouts
// are those of 64-bit programs (objc4, runtime/objc-runtime-new.h).
package objc

import (
	"cmp"
	"slices"
)

// The limits of one image. The largest known have some ten thousands of classes.
const (
	maxClasses = 1 << 18
	maxMethods = 1 << 20 // looked at, in all lists
	maxList    = 1 << 16 // methods of one list
	maxName    = 4 << 10 // bytes of a class's name, a category's or a selector
)

// Image is where the metadata of a file are, and how they are read. The functions may
// be called until the last name was asked for.
type Image struct {
	// Read reads at a vmaddr and returns how much of p there is.
	Read func(p []byte, vmaddr uint64) int
	// Pointer tells where a pointer goes, by its place and what stands there.
	Pointer func(vmaddr, value uint64) Pointer
	// Code reports whether a function may be at a vmaddr.
	Code func(vmaddr uint64) bool
	// SelectorBase is what the selector of a method at a vmaddr of Apple's shared cache
	// is told relative to; 0: it is not known.
	SelectorBase func(method uint64) uint64
	// Classes and Categories are lists of pointers.
	Classes, Categories []Range
	// Keep and Take report whether so many bytes more may be kept, and read.
	Keep, Take func(n uint64) bool
}

// Range is a part of an image.
type Range struct {
	VMAddr, Size uint64
}

// Pointer is where a pointer goes: a vmaddr, or a symbol of another image. It is
// the zero Pointer where it goes nowhere, or nowhere known.
type Pointer struct {
	Target uint64
	Import string // "_OBJC_CLASS_$_NSString"
}

// Table finds methods by where their code begins. A nil Table has none. It may be used
// by several goroutines if what it reads with may.
type Table struct {
	read    func(p []byte, vmaddr uint64) int
	methods []method // by imp, one at each
	owners  []string // "NSView", "NSString(Paths)"
}

// method is one method, not yet named.
type method struct {
	imp      uint64 // where its code begins
	selector uint64 // where its name is
	owner    uint32
	ofClass  bool // +, not -
}

// Bytes of what is kept.
const (
	methodBytes = 24
	ownerBytes  = 16 // without the name
)

// Open reads the methods of all classes and categories: those that can be read where
// something cannot, or is not as it must be. Nil: there are none.
func Open(im Image) *Table {
	r := reader{image: im, memory: memory{read: im.Read, take: im.Take}, left: maxMethods}
	for _, at := range r.list(im.Classes) {
		r.class(at)
	}
	for _, at := range r.list(im.Categories) {
		r.category(at)
	}
	if len(r.methods) == 0 {
		return nil
	}
	// A linker may have made one of functions that are the same: the first one listed
	// gives the name.
	slices.SortStableFunc(r.methods, func(a, b method) int { return cmp.Compare(a.imp, b.imp) })
	r.methods = slices.CompactFunc(r.methods, func(a, b method) bool { return a.imp == b.imp })
	return &Table{read: im.Read, methods: slices.Clip(r.methods), owners: r.owners}
}

// Start returns where the last method begins that does at or before vmaddr.
func (t *Table) Start(vmaddr uint64) (uint64, bool) {
	i, ok := t.find(vmaddr)
	if !ok {
		return 0, false
	}
	return t.methods[i].imp, true
}

func (t *Table) find(vmaddr uint64) (int, bool) {
	if t == nil {
		return 0, false
	}
	i, found := slices.BinarySearchFunc(t.methods, vmaddr, func(m method, at uint64) int { return cmp.Compare(m.imp, at) })
	if !found {
		i--
	}
	return i, i >= 0
}

// Name returns the name of the method whose code begins at start.
func (t *Table) Name(start uint64) (string, bool) {
	i, ok := t.find(start)
	if !ok || t.methods[i].imp != start {
		return "", false
	}
	m := &t.methods[i]
	selector, ok := ReadName(t.read, m.selector)
	if !ok {
		return "", false
	}
	kind := "-["
	if m.ofClass {
		kind = "+["
	}
	return kind + t.owners[m.owner] + " " + selector + "]", true
}

// Len returns how many methods are known.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.methods)
}
