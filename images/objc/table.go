// Package objc names Objective-C methods by the class metadata that the runtime
// reads, which strip keeps: -[NSView setNeedsDisplay:]. Layouts are those of 64-bit
// programs (objc4, runtime/objc-runtime-new.h).
package objc

import (
	"cmp"
	"slices"
)

// Limits for one image. The largest known have some ten thousand classes.
const (
	maxClasses = 1 << 18
	maxMethods = 1 << 20 // read, in all lists
	maxList    = 1 << 16 // methods in one list
	maxName    = 4 << 10 // bytes of the name of a class or category, or of a selector
)

// Image says where a file's metadata is and how to read it. The functions are called
// until the last name was looked up.
type Image struct {
	// Read reads at vmaddr and returns how many bytes of p it could read.
	Read func(p []byte, vmaddr uint64) int
	// Pointer decodes the pointer with this value stored at vmaddr.
	Pointer func(vmaddr, value uint64) Pointer
	// Code reports whether vmaddr may be the start of a function.
	Code func(vmaddr uint64) bool
	// SelectorBase returns the address that selector offsets of a method in Apple's
	// shared cache are relative to; 0 if it is not known.
	SelectorBase func(method uint64) uint64
	// Classes and Categories are arrays of pointers.
	Classes, Categories []Range
	// Keep and Take report whether n more bytes may be kept, and read.
	Keep, Take func(n uint64) bool
}

// Range is a part of an image.
type Range struct {
	VMAddr, Size uint64
}

// Pointer is the target of a pointer: a vmaddr, or a symbol of another image. It is
// zero for a null pointer or an unknown target.
type Pointer struct {
	Target uint64
	Import string // "_OBJC_CLASS_$_NSString"
}

// Table finds methods by the start of their code. A nil Table is empty. It is as safe
// for concurrent use as the functions of its Image.
type Table struct {
	read    func(p []byte, vmaddr uint64) int
	methods []method // by imp, one for each
	owners  []string // "NSView", "NSString(Paths)"
}

// method is a method whose name has not been read.
type method struct {
	imp      uint64 // start of its code
	selector uint64 // address of its name
	owner    uint32
	ofClass  bool // a class method (+)
}

// Sizes of what is kept, in bytes.
const (
	methodBytes = 24
	ownerBytes  = 16 // without the name
)

// Open reads the methods of all classes and categories, skipping those that are
// unreadable or malformed. It returns nil if there are none.
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
	// Linkers may merge identical functions; the first method in the list gives the
	// name.
	slices.SortStableFunc(r.methods, func(a, b method) int { return cmp.Compare(a.imp, b.imp) })
	r.methods = slices.CompactFunc(r.methods, func(a, b method) bool { return a.imp == b.imp })
	return &Table{read: im.Read, methods: slices.Clip(r.methods), owners: r.owners}
}

// Start returns the start of the last method that starts at or before vmaddr.
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

// Name returns the name of the method whose code starts at start.
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

// Len returns the number of methods.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.methods)
}
