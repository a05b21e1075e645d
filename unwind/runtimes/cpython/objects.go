package cpython

import (
	"encoding/binary"
	"strings"

	"stacksnap/task"
)

// Offsets in objects, which are the same in all versions with the GIL.
const (
	itemOfWrapper = 16 // the first field of weak references, and of objects that await another for a coroutine
	listSize      = 16
	listItems     = 24
	typeBasicSize = 32
	typeFlags     = 168
	typeBase      = 256
	typeDict      = 288 // tp_dictoffset
)

// Flags of types.
const (
	inlineValues = 1 << 2
	managedDict  = 1 << 4
	heapType     = 1 << 9
)

const (
	maxBases = 32
	maxTypes = 1 << 14 // that are known at a time
)

// typeObject is what is kept of a type.
type typeObject struct {
	at, base        task.Addr // base 0: none
	name            string
	flags           uint64
	basicSize, dict int64
	isTask          bool // a subclass of the one that is written in C
	isGather        bool // what asyncio.gather returns
}

// builtin reports whether it is CPython's own type called name, not a class of the target's.
func (t *typeObject) builtin(name string) bool { return t.name == name && t.flags&heapType == 0 }

// objects reads objects of one process.
type objects struct {
	p     *Instance
	m     *pages
	types map[task.Addr]*typeObject
}

func (o *objects) pointer(a task.Addr) (task.Addr, error) { return task.ReadPointer(o.m, a, 8) }

// typeOf returns the type of an object.
func (o *objects) typeOf(a task.Addr) (*typeObject, error) {
	at, err := o.pointer(a + task.Addr(o.p.layout.object.kind))
	if err != nil {
		return nil, err
	}
	if t := o.types[at]; t != nil {
		return t, nil
	}
	t, err := o.readType(at)
	if err == nil {
		err = o.readBases(t)
	}
	if err != nil {
		return nil, err
	}
	if len(o.types) == maxTypes {
		clear(o.types)
	}
	o.types[at] = t
	return t, nil
}

// readBases sets what follows from the bases of a type.
func (o *objects) readBases(t *typeObject) (err error) {
	isFuture := false
	base := t
	for range maxBases {
		t.isTask = t.isTask || base.name == "_asyncio.Task"
		isFuture = isFuture || base.name == "_asyncio.Future"
		if base.base == 0 {
			t.isGather = isFuture && t.name == "_GatheringFuture"
			return nil
		}
		if base, err = o.readType(base.base); err != nil {
			return err
		}
	}
	return errObject
}

func (o *objects) readType(at task.Addr) (*typeObject, error) {
	b := make([]byte, max(typeDict, o.p.layout.object.typeName)+8)
	if err := task.ReadFull(o.m, b, at); err != nil {
		return nil, err
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }
	name, err := task.ReadCString(o.m, task.Addr(word(o.p.layout.object.typeName)), 256)
	return &typeObject{
		at: at, base: task.Addr(word(typeBase)), name: name,
		flags: word(typeFlags), basicSize: int64(word(typeBasicSize)), dict: int64(word(typeDict)),
	}, err
}

// isBuiltin reports whether an object is of CPython's own type called name.
func (o *objects) isBuiltin(a task.Addr, name string) bool {
	if a == 0 {
		return false
	}
	t, err := o.typeOf(a)
	return err == nil && t.builtin(name)
}

// list returns the items of a list that has no more than a limit.
func (o *objects) list(a task.Addr, limit uint64) ([]task.Addr, error) {
	if !o.isBuiltin(a, "list") {
		return nil, errObject
	}
	size, err := o.pointer(a + listSize)
	if err != nil || uint64(size) > limit {
		return nil, errObject
	}
	items, err := o.pointer(a + listItems)
	if err != nil {
		return nil, err
	}
	return o.pointers(items, int(size))
}

// pointers reads n pointers.
func (o *objects) pointers(a task.Addr, n int) ([]task.Addr, error) {
	b := make([]byte, 8*n)
	if err := task.ReadFull(o.m, b, a); err != nil {
		return nil, err
	}
	list := make([]task.Addr, n)
	for i := range list {
		list[i] = task.Addr(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return list, nil
}

// integer returns the value of an int that is greater than 0 and has no more than 64 bits. Its
// digits have 30 bits each.
func (o *objects) integer(a task.Addr) (v uint64, ok bool) {
	const size, digit, bits, most = 16, 24, 30, 3
	if !o.isBuiltin(a, "int") {
		return 0, false
	}
	n, err := o.pointer(a + size)
	if err != nil {
		return 0, false
	}
	if o.p.minor() >= 12 { // the sign is in the lowest bits, 0 for positive ones
		if n&3 != 0 {
			return 0, false
		}
		n >>= 3
	}
	var b [4 * most]byte
	if n == 0 || n > most || task.ReadFull(o.m, b[:4*n], a+digit) != nil {
		return 0, false
	}
	for i := range most {
		d := uint64(binary.LittleEndian.Uint32(b[4*i:]))
		if d >= 1<<bits || i == most-1 && d >= 1<<(64-bits*(most-1)) {
			return 0, false
		}
		v |= d << (bits * i)
	}
	return v, true
}

// module returns the dict of a module of an interpreter, 0 if it is not imported.
func (o *objects) module(interp task.Addr, name string) (task.Addr, error) {
	modules, err := o.pointer(interp + task.Addr(o.p.layout.asyncio.modules))
	if err != nil || modules == 0 {
		return 0, err
	}
	module, err := o.lookUp(modules, name)
	if err != nil || module == 0 || !o.isBuiltin(module, "module") {
		return 0, err
	}
	const moduleDict = 16 // md_dict
	return o.pointer(module + moduleDict)
}

// lastName returns what is after the last dot.
func lastName(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
