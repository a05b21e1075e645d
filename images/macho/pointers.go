package macho

import (
	"encoding/binary"

	"stacksnap/images/objc"
)

// pointerFunc decodes the pointer with a value stored at a vmaddr.
type pointerFunc = func(vmaddr, value uint64) objc.Pointer

// addressMask removes signature and tag from a pointer in a Darwin process.
const addressMask = 1<<47 - 1

func (f *File) inMemory() bool {
	_, ok := f.src.(*memorySource)
	return ok
}

// readPointers returns the function that decodes pointers. In a process dyld has
// replaced them by addresses, signed on arm64e; in a file they are as linked, or
// chained.
func (f *File) readPointers() pointerFunc {
	switch {
	case f.inMemory():
		return f.mappedPointer
	case f.chained.size == 0:
		return func(_, value uint64) objc.Pointer { return objc.Pointer{Target: value} }
	}
	if t := f.readChained(); t != nil {
		return t.pointer
	}
	return func(_, _ uint64) objc.Pointer { return objc.Pointer{} }
}

func (f *File) mappedPointer(_, value uint64) objc.Pointer {
	if value &= addressMask; value == 0 {
		return objc.Pointer{}
	}
	return objc.Pointer{Target: value - f.slide}
}

// pointsTo returns the target of the pointer at a vmaddr, 0 if it is unknown.
func (f *File) pointsTo(vmaddr uint64) uint64 {
	var b [8]byte
	if n := f.readSome(b[:], vmaddr); n < len(b) {
		return 0
	}
	return f.pointer()(vmaddr, binary.LittleEndian.Uint64(b[:])).Target
}
