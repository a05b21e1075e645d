package objc

import "encoding/binary"

// Flags and sizes in a method_list_t.
const (
	listHeader = 8 // entsizeAndFlags, count

	flagSmall  = 1 << 31    // three relative offsets instead of three pointers
	flagDirect = 1 << 30    // the selector is an offset in Apple's shared cache
	entryMask  = 0x0000fffc // the other bits are flags

	bigSize   = 24 // name, types, imp
	smallSize = 12
)

// methodList reads the methods of the list at at; none if at is 0 or there is no
// valid list.
func (r *reader) methodList(at uint64, owner uint32, ofClass bool) {
	if at&1 != 0 {
		at = r.ownList(at &^ 1)
	}
	if at == 0 {
		return
	}
	var b [listHeader]byte
	if !r.memory.full(b[:], at) {
		return
	}
	flags, count := binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])
	read, size := r.big, uint64(bigSize)
	if flags&flagSmall != 0 {
		read, size = r.small, smallSize
		if flags&flagDirect != 0 {
			read = r.direct
		}
	}
	if uint64(flags&entryMask) != size || count > maxList {
		return
	}
	at += listHeader
	for ; count > 0 && r.left > 0; count-- {
		r.left--
		m, ok := read(at)
		if !ok {
			return
		}
		m.owner, m.ofClass = owner, ofClass
		r.add(m)
		at += size
	}
}

// ownList returns the class's own list: the last of a relative_list_list_t, which
// Apple's shared cache has for a class with categories.
func (r *reader) ownList(at uint64) uint64 {
	var b [8]byte
	if !r.memory.full(b[:listHeader], at) {
		return 0
	}
	size, count := binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])
	if size != 8 || count == 0 {
		return 0
	}
	at += listHeader + uint64(count-1)*8
	if !r.memory.full(b[:], at) {
		return 0
	}
	// 16 bits image index, 48 bits relative offset.
	return at + uint64(int64(binary.LittleEndian.Uint64(b[:]))>>16)
}

// add appends a method that has a name and whose code exists.
func (r *reader) add(m method) {
	if m.selector == 0 || m.imp == 0 || !r.image.Code(m.imp) || !r.image.Keep(methodBytes) {
		return
	}
	r.methods = append(r.methods, m)
}

// big reads a method of three pointers.
func (r *reader) big(at uint64) (method, bool) {
	selector, ok := r.pointer(at)
	imp, impOK := r.pointer(at + 2*pointerSize)
	return method{selector: selector.Target, imp: imp.Target}, ok && impOK
}

// small reads a method of three relative offsets. The first is that of a pointer to
// the selector.
func (r *reader) small(at uint64) (method, bool) {
	m, ok := r.distances(at, at)
	if ok {
		m.selector = r.target(m.selector)
	}
	return m, ok
}

// direct reads a method of three relative offsets. The first is the selector's, from
// the cache's selector base.
func (r *reader) direct(at uint64) (method, bool) {
	base := r.image.SelectorBase(at)
	if base == 0 {
		return method{}, false
	}
	return r.distances(at, base)
}

// distances reads a method of three relative offsets, the first of them from base.
func (r *reader) distances(at, base uint64) (method, bool) {
	var b [smallSize]byte
	if !r.memory.full(b[:], at) {
		return method{}, false
	}
	distance := func(off int) uint64 { return uint64(int64(int32(binary.LittleEndian.Uint32(b[off:])))) }
	m := method{selector: base + distance(0)}
	if imp := distance(8); imp != 0 {
		m.imp = at + 8 + imp
	}
	return m, true
}
