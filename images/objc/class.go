package objc

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Field offsets in bytes (class64_t and class_ro_t, class_rw_t, category_t).
const (
	pointerSize = 8

	classIsa  = 0
	classData = 32

	roFlags   = 0
	roName    = 24
	roMethods = 32

	rwRO = 8 // class_ro_t, or with bit 0 a class_rw_ext_t, whose first field is that pointer

	categoryName         = 0
	categoryClass        = 8
	categoryMethods      = 16
	categoryClassMethods = 24
)

const (
	flagMeta     = 1 << 0  // RO_META
	flagRealized = 1 << 31 // RW_REALIZED: a class_rw_t is in the place of the class_ro_t
	dataFlags    = 7       // FAST_FLAGS_MASK; in an isa the same bits are flags
)

const classPrefix = "_OBJC_CLASS_$_"

// reader collects methods.
type reader struct {
	image   Image
	memory  memory
	methods []method
	owners  []string
	left    int // methods that may still be read
}

// list reads pointers and returns their targets, each once.
func (r *reader) list(ranges []Range) []uint64 {
	var all []uint64
	for _, s := range ranges {
		for off := uint64(0); off+pointerSize <= s.Size && len(all) < maxClasses; off += pointerSize {
			p, ok := r.pointer(s.VMAddr + off)
			if !ok {
				break
			}
			if p.Target != 0 {
				all = append(all, p.Target)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// pointer reads the pointer at vmaddr.
func (r *reader) pointer(vmaddr uint64) (Pointer, bool) {
	var b [pointerSize]byte
	if !r.memory.full(b[:], vmaddr) {
		return Pointer{}, false
	}
	return r.image.Pointer(vmaddr, binary.LittleEndian.Uint64(b[:])), true
}

func (r *reader) target(vmaddr uint64) uint64 {
	p, _ := r.pointer(vmaddr)
	return p.Target
}

// name reads the name that the pointer at vmaddr points to.
func (r *reader) name(vmaddr uint64) (string, bool) {
	at := r.target(vmaddr)
	if at == 0 {
		return "", false
	}
	return ReadName(r.memory.atMost, at)
}

// class reads a class's methods: instance methods, and from its metaclass the class
// methods.
func (r *reader) class(at uint64) {
	ro, flags := r.readOnly(at)
	if ro == 0 || flags&flagMeta != 0 {
		return
	}
	name, ok := r.name(ro + roName)
	if !ok {
		return
	}
	owner, ok := r.owner(name)
	if !ok {
		return
	}
	r.methodList(r.target(ro+roMethods), owner, false)
	meta, flags := r.readOnly(r.target(at+classIsa) &^ dataFlags)
	if meta != 0 && flags&flagMeta != 0 {
		r.methodList(r.target(meta+roMethods), owner, true)
	}
}

// readOnly returns the address of a class's class_ro_t, 0 if there is none, and its
// flags.
func (r *reader) readOnly(class uint64) (ro uint64, flags uint32) {
	ro = r.target(class+classData) &^ dataFlags
	flags, ok := r.memory.u32(ro + roFlags)
	if ok && flags&flagRealized != 0 {
		ro = r.target(ro + rwRO)
		if ro&1 != 0 {
			ro = r.target(ro &^ 1)
		}
		flags, ok = r.memory.u32(ro + roFlags)
	}
	if !ok || flags&flagRealized != 0 {
		return 0, 0
	}
	return ro, flags
}

// category reads the methods that a category adds to a class, which may be of another
// image.
func (r *reader) category(at uint64) {
	name, ok := r.name(at + categoryName)
	if !ok {
		return
	}
	class, ok := r.categoryClass(at + categoryClass)
	if !ok {
		return
	}
	owner, ok := r.owner(class + "(" + name + ")")
	if !ok {
		return
	}
	r.methodList(r.target(at+categoryMethods), owner, false)
	r.methodList(r.target(at+categoryClassMethods), owner, true)
}

// categoryClass returns the name of the class that the pointer at vmaddr points to.
func (r *reader) categoryClass(vmaddr uint64) (string, bool) {
	p, ok := r.pointer(vmaddr)
	if !ok {
		return "", false
	}
	if name, ok := strings.CutPrefix(p.Import, classPrefix); ok {
		return name, isName([]byte(name))
	}
	if p.Target == 0 {
		return "", false
	}
	ro, flags := r.readOnly(p.Target)
	if ro == 0 || flags&flagMeta != 0 {
		return "", false
	}
	return r.name(ro + roName)
}

// owner appends the name of a class or category and returns its index.
func (r *reader) owner(name string) (uint32, bool) {
	if !r.image.Keep(ownerBytes + uint64(len(name))) {
		return 0, false
	}
	r.owners = append(r.owners, name)
	return uint32(len(r.owners) - 1), true
}
