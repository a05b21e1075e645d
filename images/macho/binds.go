package macho

import (
	"bytes"
	"strings"

	"stacksnap/images/objc"
)

// Opcodes of LC_DYLD_INFO's lists of binds; the low four bits are an operand.
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
	bindSegment        = 0x70 // and the offset in it
	bindAdd            = 0x80
	bindDo             = 0x90
	bindDoAdd          = 0xa0
	bindDoAddScaled    = 0xb0
	bindDoRepeated     = 0xc0 // a count, and what is between two
)

const (
	maxBinds     = 64 << 20 // bytes of a list
	maxBindSteps = 4 << 20  // symbols bound
	maxImport    = 4 << 10  // bytes of a symbol's name
	boundBytes   = 48       // of one that is kept
)

// classSymbol begins the symbols of Objective-C's classes.
const classSymbol = "_OBJC_CLASS_$_"

// binder follows a list of binds.
type binder struct {
	file  *File
	rest  []byte
	at    uint64 // vmaddr
	name  string
	steps int
	bound func(at uint64, name string) bool // false: enough
}

// readBoundClasses returns which class of another image is to be put where; in the
// file itself nothing is there.
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

// run follows the list to its end, or to where it is not as it must be.
func (b *binder) run() {
	for len(b.rest) > 0 && b.steps < maxBindSteps {
		opcode := b.rest[0]
		b.rest = b.rest[1:]
		if !b.step(opcode&bindOpcode, uint64(opcode&bindImmediate)) {
			return
		}
	}
}

// step does what an opcode says, and reports whether the list goes on.
func (b *binder) step(opcode byte, operand uint64) bool {
	switch opcode {
	case bindLibrary, bindLibrarySpecial, bindType:
	case bindLibraryULEB, bindAddend: // a SLEB128 is as long
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
	default: // the end, and arm64e's threads, which came before chains
		return false
	}
	return true
}

// bind binds a pointer, and goes to behind it and by so many bytes further.
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

// withClasses adds to pointers in a file, that are as linked, the classes of other images:
// the pointers to these are null. What it returns last ends the use of it.
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
