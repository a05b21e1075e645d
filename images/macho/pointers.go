package macho

import (
	"encoding/binary"

	"stacksnap/images/objc"
)

// pointerFunc tells where a pointer goes, by its place and what stands there.
type pointerFunc = func(vmaddr, value uint64) objc.Pointer

// addressMask takes the signature and the tag off a pointer in a process of Darwin.
const addressMask = 1<<47 - 1

func (f *File) inMemory() bool {
	_, ok := f.src.(*memorySource)
	return ok
}

// readPointers returns what tells where pointers go: in a process dyld has put addresses
// in their places, on arm64e signed ones; in a file they are as linked, or there is what
// tells dyld.
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

// pointsTo returns where the pointer at a vmaddr goes, 0 where that is not known.
func (f *File) pointsTo(vmaddr uint64) uint64 {
	var b [8]byte
	if n := f.readSome(b[:], vmaddr); n < len(b) {
		return 0
	}
	return f.pointer()(vmaddr, binary.LittleEndian.Uint64(b[:])).Target
}
