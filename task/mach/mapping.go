package mach

import (
	"bytes"
	"runtime/debug"

	"stacksnap/task"
)

// mapping is the memory of a thread's stack in our own space, which we can only
// read. It shows what the target writes, whatever becomes of the target
// meanwhile, for as long as the target has this memory at this place
// (osfmk/vm/vm_map.c and vm_object.c of xnu-11417):
//
//   - vm_map_remap_extract without copy enters the target's own VM object in our
//     map. Where the target had a copy-on-write still to resolve (it was forked,
//     say), it is given its shadow object first, and that is shared.
//   - The object becomes true_share, and of copy strategy DELAY. vm_map_fork
//     copies such an object by vm_map_fork_copy, and vm_map_copyin_internal by
//     vm_object_copy_strategically: they make a new object for the copy, to which
//     pages are pushed before they change, and leave the entry of the target with
//     its object (vm_object_copy_delayed). vm_object_copy_quickly, which would
//     have the target continue in a shadow, refuses it.
//   - Pages are the object's, not the map's: those that are compressed, paged out
//     or not made yet are got by a fault of ours as by one of the target's.
//     mprotect changes the target's entry alone.
//
// What ends it is the target having other memory at the place: by unmapping it,
// by mapping over it, or by vm_protect with VM_PROT_COPY. [Process.still] tells.
type mapping struct {
	start, end task.Addr // of the target's stack
	bytes      []byte
	object     uint32 // the kernel's name for the VM object
	offset     uint64 // of start in it

	// trusted means that it was seen to change, and was then equal to what the kernel read.
	trusted bool
	from    task.Addr // what it showed at first, from this address on
	first   []byte
	uses    int
}

// holds reports whether the n bytes at a are in m.
func (m *mapping) holds(a task.Addr, n int) bool {
	return a >= m.start && a <= m.end && uint64(n) <= uint64(m.end-a)
}

func (m *mapping) at(a task.Addr, n int) []byte {
	off := a - m.start
	return m.bytes[off : off+task.Addr(n)]
}

// copy fills b with the bytes at a, which must be in m.
func (m *mapping) copy(b []byte, a task.Addr) bool {
	return guarded(func() bool { copy(b, m.at(a, len(b))); return true })
}

// equals reports whether b equals the bytes at a, which must be in m.
func (m *mapping) equals(b []byte, a task.Addr) bool {
	return guarded(func() bool { return bytes.Equal(b, m.at(a, len(b))) })
}

// changed reports whether m no longer shows what it did at first. We never write to it, so if it
// has changed it is not a copy.
func (m *mapping) changed() bool {
	return guarded(func() bool { return !bytes.Equal(m.first, m.at(m.from, len(m.first))) })
}

// guarded calls a function that reads mapped memory of the target. It returns false if that
// faults. A page that cannot be read in is a SIGBUS for us (bsd/uxkern/ux_exception.c), which
// kills a Go program unless the goroutine asks for a panic instead. The fault may be in the
// runtime's memmove, and then counts as its caller's.
func guarded(read func() bool) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		if _, isFault := e.(interface{ Addr() uintptr }); !isFault {
			panic(e)
		}
		ok = false
	}()
	return read()
}
