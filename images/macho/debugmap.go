package macho

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"sync"

	"stacksnap/images/object"
)

// debugMap is the stabs of a linked file, which name the object files that it was
// linked from. The debugging information stays in these, and the map has the address
// of each of their functions. A function is found in its object file by its symbol's
// name.
type debugMap struct {
	file      *File            // the linked file
	functions []mappedFunction // those of one object are adjacent
	byAddress []int32          // indices of those in the symbol table, by address
	objects   []mappedObject
	names     *nameTable
	stores    stores

	mu     sync.Mutex // guards the fields below
	closed bool
	opened int
	failed map[int32]error // why an object could not be opened, by index
}

// mappedFunction is a function of the linked file at [low, high).
type mappedFunction struct {
	low, high uint64
	name      uint32 // offset of its name
	object    int32
}

// mappedObject is an object file in the map: "/dir/a.o", or "/dir/lib.a(a.o)".
type mappedObject struct {
	name        uint32 // offset of its name
	modified    uint64 // in seconds since 1970; 0: the linker was told to leave it out
	first, ends int32  // its range in debugMap.functions
	object      *debugObject
}

const (
	mappedBytes = 40 // cost of a function or object, for the budget
	// maxObjects is how many object files are opened for one linked file.
	maxObjects = 4096
	maxEqual   = 64   // functions at one address that are examined
	maxShown   = 1024 // bytes of a name in a note
)

// readDebugMap reads the map of the file, or else of its file on disk; nil if there
// is none.
func (f *File) readDebugMap() *debugMap {
	if f.path == "" || f.InSharedCache() {
		return nil
	}
	of := f
	if !f.namesObjects() {
		if of = f.onDisk(); of == nil || !of.namesObjects() {
			return nil
		}
	}
	m := &debugMap{file: f, names: &of.symtab().names, failed: map[int32]error{}}
	m.stores.cost = &f.cost
	m.read(of)
	return m
}

func (f *File) namesObjects() bool {
	t := f.symtab()
	return t != nil && t.objects
}

// read reads the stabs. For each object: N_SO with its source, N_OSO with its name,
// its functions, and N_SO without a name. For each function: N_FUN with name and
// address, and N_FUN with its size and no section.
func (m *debugMap) read(f *File) {
	current := int32(-1) // object
	var begun mappedFunction
	open := false
	f.eachSymbol(func(_ uint32, n *nlist) bool {
		ok := true
		switch {
		case n.typ == stabSource:
			current, open = -1, false
		case n.typ == stabObject:
			if ok = m.file.cost.keep(mappedBytes); ok {
				first := int32(len(m.functions))
				m.objects = append(m.objects, mappedObject{name: n.strx, modified: n.value, first: first, ends: first})
			}
			current, open = int32(len(m.objects)-1), false
		case n.typ != stabFunction || current < 0:
		case n.sect != 0:
			begun, open = mappedFunction{low: f.instruction(n.value), name: n.strx, object: current}, true
		case open:
			begun.high, open = begun.low+n.value, false
			if begun.low < begun.high && m.file.cost.keep(mappedBytes) {
				m.functions = append(m.functions, begun)
				m.objects[current].ends++
			}
		}
		return ok
	})
	for i := range m.functions {
		if f.hasSymbol(m.functions[i].low, m.functions[i].name) {
			m.byAddress = append(m.byAddress, int32(i))
		}
	}
	slices.SortStableFunc(m.byAddress, func(a, b int32) int { return cmp.Compare(m.functions[a].low, m.functions[b].low) })
}

// hasSymbol reports whether the symbol table has this name for an address. The stabs
// of some linkers include addresses of copies of functions that were left out.
func (f *File) hasSymbol(vmaddr uint64, strx uint32) bool {
	t, i := f.symtab(), f.sectionIndex(vmaddr)
	var name string
	for e := range t.functions.At(vmaddr, uint16(i+1)) {
		if e.Name == strx {
			return true
		}
		if name == "" {
			name, _ = t.names.at(strx)
		}
		if !f.cost.take(uint64(len(name))) {
			return false
		}
		if other, _ := t.names.at(e.Name); other == name {
			return true
		}
	}
	return false
}

// source implements [File.Source] for the linked file.
func (m *debugMap) source(vmaddr uint64) []object.Source {
	fn := m.function(vmaddr)
	if fn == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	o := m.object(fn.object)
	if o == nil {
		return nil
	}
	name, _ := m.names.at(fn.name)
	there, ok := o.address(name, vmaddr-fn.low)
	if !ok {
		return nil
	}
	frames := o.file.Source(there)
	for i := range frames {
		if s := &frames[i]; s.High != 0 {
			s.Low, s.High = s.Low-there+vmaddr, s.High-there+vmaddr
		}
	}
	return frames
}

// function returns the function that contains vmaddr. Of several that the linker
// merged, it is the one whose name is shown.
func (m *debugMap) function(vmaddr uint64) (found *mappedFunction) {
	low := func(i int) uint64 { return m.functions[m.byAddress[i]].low }
	above := sort.Search(len(m.byAddress), func(i int) bool { return low(i) > vmaddr })
	var shown string
	for i := above - 1; i >= max(0, above-maxEqual) && low(i) == low(above-1); i-- {
		fn := &m.functions[m.byAddress[i]]
		if vmaddr >= fn.high {
			continue
		}
		if found == nil {
			found = fn
			continue
		}
		if shown == "" {
			sym, _ := m.file.Symbol(vmaddr)
			shown = "_" + sym.Name
		}
		if name, _ := m.names.at(fn.name); name == shown {
			return fn
		}
	}
	return found
}

// object opens an object file on first use: nil if it is unreadable, or not the one
// that was linked.
func (m *debugMap) object(number int32) *debugObject {
	o := &m.objects[number]
	if o.object != nil || m.failed[number] != nil {
		return o.object
	}
	if m.opened == maxObjects {
		m.failed[number] = errManyObjects
		return nil
	}
	m.opened++
	var err error
	if o.object, err = m.open(o); err != nil {
		m.failed[number] = err
	}
	return o.object
}

func (m *debugMap) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for i := range m.objects {
		if o := m.objects[i].object; o != nil {
			_ = o.file.Close() // read-only
		}
	}
	m.stores.close()
}

// SourceNote returns one line on code whose source was requested and could not be
// found, although the file says where it is; "" if there is none.
func (f *File) SourceNote() string {
	if f.closed.Load() {
		return ""
	}
	if f.HasSource() {
		return f.leftOut.Line()
	}
	if d := f.dsym(); d != nil {
		return d.leftOut.Line()
	}
	m := f.debugMap()
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.failed) == 0 {
		return ""
	}
	first := slices.Min(slices.Collect(maps.Keys(m.failed)))
	name, _ := m.names.at(m.objects[first].name)
	if len(name) > maxShown {
		name = "…" + name[len(name)-maxShown:]
	}
	line := fmt.Sprintf("%s: no lines of code from %s: %v", path.Base(f.path), name, m.failed[first])
	if n := len(m.failed) - 1; n > 0 {
		line += fmt.Sprintf("; nor from %d more of its object files", n)
	}
	return line
}
