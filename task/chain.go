package task

import "encoding/binary"

// Chain is a linked list in the target's memory that is copied while a thread is stopped:
// the frames that an interpreter keeps on the heap.
type Chain struct {
	At   Addr // of the first object
	Size int  // bytes copied of the first object
	// Links lead from each object to the next: the first from the first object, and so on.
	// The last link repeats.
	Links []Link
}

// Link leads to the next object of a [Chain], whose address is the pointer at Offset of the
// object before it, and of which Size bytes are copied.
type Link struct{ Offset, Size int }

// Object is a piece of the target's heap that was copied.
type Object struct {
	At    Addr
	Bytes []byte
}

// Pointer returns the little-endian pointer of 8 bytes at an offset, 0 where the copy does
// not have it.
func (o *Object) Pointer(offset int) Addr {
	if offset < 0 || offset+8 > len(o.Bytes) {
		return 0
	}
	return Addr(binary.LittleEndian.Uint64(o.Bytes[offset:]))
}

// ManagedFrame is an activation of a function of an interpreter's language.
type ManagedFrame struct {
	Function string // qualified as the language's users write it
	File     string // as the runtime gives it; empty: not known
	Line     int    // 0: not known
	// Entry: native code called the interpreter to run this function. The frames before it, up
	// to another entry, were called without a native frame of their own.
	Entry bool
}
