package macho

import (
	"bytes"
	"strings"

	"stacksnap/images/objc"
)

// Opcodes of LC_DYLD_INFO's bind lists; the low four bits are an operand.
// (<mach-o/loader.h>)
const (
	bindOpcode         = 0xf0
	bindImmediate      = 0x0f
	bindDone           = 0x00
	bindLibrary        = 0x10
	bindLibraryULEB    = 0x20
	bindLibrarySpecial = 0x30
	bindSymbol         = 0x40 // a string follows
	bindType           = 0x50
	bindAddend         = 0x60
	bindSegment        = 0x70 // the offset in it follows
	bindAdd            = 0x80
	bindDo             = 0x90
	bindDoAdd          = 0xa0
	bindDoAddScaled    = 0xb0
	bindDoRepeated     = 0xc0 // a count and a skip follow
)

const (
	maxBinds     = 64 << 20 // bytes of a list
	maxBindSteps = 4 << 20  // symbols bound
	maxImport    = 4 << 10  // bytes of a symbol's name
	boundBytes   = 48       // cost of an entry kept
)

// classSymbol is the prefix of the symbols of Objective-C classes.
const classSymbol = "_OBJC_CLASS_$_"

// binder executes a bind list.
type binder struct {
	file  *File
	rest  []byte
	at    uint64 // vmaddr
	name  string
	steps int
	bound func(at uint64, name string) bool // false: stop
}

// readBoundClasses returns, by address, the classes of other images that dyld binds
// there. The file itself has null there.
func (f *File) readBoundClasses() map[uint64]string {
	classes := map[uint64]string{}
	if f.binds.size > maxBinds {
		return classes
	}
	b, err := f.cost.readKept(f.binds.size, func(p []byte, at uint64) (int, error) {
		return f.src.readLinkEdit(p, f.binds.offset+at)
	})
	if err != nil {
		return classes
	}
	defer f.cost.drop(uint64(len(b)))
	(&binder{file: f, rest: b, bound: func(at uint64, name string) bool {
		if !strings.HasPrefix(name, classSymbol) {
			return true
		}
		if _, again := classes[at]; again {
			return true
		}
		if !f.cost.keep(boundBytes) {
			return false
		}
		classes[at] = name
		return true
	}}).run()
	return classes
}

// run executes the list to its end, or to the first invalid opcode.
func (b *binder) run() {
	for len(b.rest) > 0 && b.steps < maxBindSteps {
		opcode := b.rest[0]
		b.rest = b.rest[1:]
		if !b.step(opcode&bindOpcode, uint64(opcode&bindImmediate)) {
			return
		}
	}
}

// step executes an opcode, and reports whether the list continues.
func (b *binder) step(opcode byte, operand uint64) bool {
	switch opcode {
	case bindLibrary, bindLibrarySpecial, bindType:
	case bindLibraryULEB, bindAddend: // a SLEB128 has the same length
		b.uleb()
	case bindSymbol:
		name, rest, found := bytes.Cut(b.rest, []byte{0})
		if !found || len(name) > maxImport {
			return false
		}
		b.name, b.rest = string(name), rest
	case bindSegment:
		off := b.uleb()
		if operand >= uint64(len(b.file.segments)) {
			return false
		}
		b.at = b.file.segments[operand].VMAddr + off
	case bindAdd:
		b.at += b.uleb()
	case bindDo:
		return b.bind(0)
	case bindDoAdd:
		return b.bind(b.uleb())
	case bindDoAddScaled:
		return b.bind(8 * operand)
	case bindDoRepeated:
		return b.repeat(b.uleb(), b.uleb())
	default: // the end, or arm64e's threaded binds, the predecessor of chains
		return false
	}
	return true
}

// bind binds the pointer at b.at, and advances past it and skip more bytes.
func (b *binder) bind(skip uint64) bool {
	b.steps++
	ok := b.bound(b.at, b.name)
	b.at += 8 + skip
	return ok
}

func (b *binder) repeat(count, skip uint64) bool {
	for ; count > 0 && b.steps < maxBindSteps; count-- {
		if !b.bind(skip) {
			return false
		}
	}
	return true
}

func (b *binder) uleb() (v uint64) {
	v, b.rest = uleb(b.rest)
	return v
}

// withClasses extends pointer, for a file as linked, by the classes of other images.
// The pointers to them are null in the file, because dyld binds them. Call done when
// finished.
func (f *File) withClasses(pointer pointerFunc) (withClasses pointerFunc, done func()) {
	var classes map[uint64]string
	withClasses = func(vmaddr, value uint64) objc.Pointer {
		if value != 0 {
			return pointer(vmaddr, value)
		}
		if classes == nil {
			classes = f.readBoundClasses()
		}
		return objc.Pointer{Import: classes[vmaddr]}
	}
	return withClasses, func() { f.cost.drop(uint64(len(classes)) * boundBytes) }
}
