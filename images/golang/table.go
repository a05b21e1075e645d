// Package golang reads .gopclntab, the function table that Go's linker puts into
// every program, even stripped ones, of Go 1.2 to 1.27 (runtime/symtab.go, struct
// pcHeader and _func). It has the functions, the files and lines of their code, and
// the calls inlined there.
//
// The standard library's debug/gosym is not used: it does not read inlined calls,
// allocates a value for every function in advance, and reports malformed tables by
// panicking.
package golang

import (
	"bytes"
	"slices"
	"sync"

	"stacksnap/images/object"
)

const maxName = 4 << 10 // bytes; names of instantiated generics are long

// Table is a function table. It is immutable and safe for concurrent use.
type Table struct {
	layout
	of      File
	base    uint64              // the vmaddr that distances are relative to; 0 in versions with addresses
	pointer func(uint64) uint64 // converts an address in the table to a vmaddr
	module  func() *module      // nil result: not found
	inlines func() *inlines     // nil result: not found
}

func newTable(data []byte, f File) (*Table, error) {
	l, err := parse(data)
	if err != nil {
		return nil, err
	}
	t := &Table{layout: *l, of: f, pointer: func(p uint64) uint64 { return p }}
	t.module = sync.OnceValue(t.findModule)
	t.inlines = sync.OnceValue(t.findInlines)
	return t, nil
}

// start returns the distance where the i-th function starts, 0 ≤ i ≤ count.
func (t *Table) start(i int) uint64 {
	p := t.uint(t.functions[2*i*t.field():], t.field())
	if t.version >= go118 {
		return p
	}
	return t.pointer(p)
}

// size returns the distance where the last function ends.
func (t *Table) size() uint64 { return t.start(t.count) }

// at returns the index of the last function that starts at or below a distance, -1
// for none.
func (t *Table) at(distance uint64) int {
	lo, hi := 0, t.count
	for lo < hi {
		if mid := (lo + hi) / 2; t.start(mid) <= distance {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// find returns the function that contains vmaddr. Padding between functions is in
// none.
func (t *Table) find(vmaddr uint64) (function, bool) {
	if t == nil || vmaddr < t.base || vmaddr-t.base >= t.size() {
		return function{}, false
	}
	i := t.at(vmaddr - t.base)
	if i < 0 {
		return function{}, false
	}
	f, ok := t.function(i)
	return f, ok && vmaddr-t.base-f.start < f.size
}

// Symbol returns the function that contains vmaddr.
func (t *Table) Symbol(vmaddr uint64) (object.Symbol, bool) {
	f, ok := t.find(vmaddr)
	if !ok {
		return object.Symbol{}, false
	}
	s := object.Symbol{Name: f.name(), VMAddr: t.base + f.start, Size: f.size}
	return s, s.Name != ""
}

// Functions returns the function of each name, empty if there is none. A wrapper for calls by the other ABI has the same
// name: the longer of the two is the function. It goes through the whole table.
func (t *Table) Functions(names ...string) []object.Symbol {
	found := make([]object.Symbol, len(names))
	if t == nil {
		return found
	}
	for i := range t.count {
		f := t.begun(i)
		n := slices.Index(names, f.name())
		if n < 0 {
			continue
		}
		if f, ok := t.function(i); ok && f.size > found[n].Size {
			found[n] = object.Symbol{Name: names[n], VMAddr: t.base + f.start, Size: f.size}
		}
	}
	return found
}

// text returns the string at an offset, "" if there is none.
func text(part []byte, at uint64) string {
	if at >= uint64(len(part)) {
		return ""
	}
	b := part[at:]
	b = b[:min(len(b), maxName)]
	end := bytes.IndexByte(b, 0)
	return string(b[:max(end, 0)])
}
