package managed

import (
	"encoding/binary"
	"maps"
	"slices"

	"stacksnap/task"
)

// numbers translates the numbers that threads have for themselves: in a container they are
// others than the system's.
type numbers struct {
	ids   []task.ThreadID
	same  bool // both numbers of a thread are equal
	known map[task.ThreadID]task.ThreadID
	waits task.WaitReader

	handle func(task.ThreadID) (task.Addr, bool) // see [task.Capabilities].ThreadHandle; may be nil
}

// maxTranslated is how many numbers of a container are translated: each takes a search of all
// threads.
const maxTranslated = 256

// use sets the threads of the process.
func (n *numbers) use(ids []task.ThreadID, waits task.WaitReader) {
	n.ids, n.waits, n.same = slices.Clone(ids), waits, true
	slices.Sort(n.ids)
	if waits != nil && len(ids) > 0 {
		local, ok := waits.LocalThread(int(ids[0]))
		n.same = ok && local == ids[0]
	}
	if !n.same {
		n.forgetEnded()
	}
}

// forgetEnded drops the numbers of threads that have ended.
func (n *numbers) forgetEnded() {
	if n.known == nil {
		n.known = map[task.ThreadID]task.ThreadID{}
	}
	maps.DeleteFunc(n.known, func(_, id task.ThreadID) bool { return !n.has(id) })
}

func (n *numbers) has(id task.ThreadID) bool {
	_, ok := slices.BinarySearch(n.ids, id)
	return ok
}

// outer returns the system's number of a thread.
func (n *numbers) outer(own task.ThreadID) (task.ThreadID, bool) {
	if n.same {
		return own, n.has(own)
	}
	if id, ok := n.known[own]; ok {
		return id, true
	}
	if len(n.known) >= maxTranslated || n.waits == nil {
		return 0, false
	}
	id, ok := n.waits.LocalThread(int(own))
	if ok = ok && n.has(id); ok {
		n.known[own] = id
	}
	return id, ok
}

// inner returns the number that a thread has for itself.
func (n *numbers) inner(id task.ThreadID) task.ThreadID {
	if n.same {
		return id
	}
	for own, known := range n.known {
		if known == id {
			return own
		}
	}
	return 0
}

// bySlots returns the thread whose thread-specific data is at an address.
func (n *numbers) bySlots(at task.Addr) (task.ThreadID, bool) {
	for _, id := range n.ids {
		if own, ok := n.handle(id); ok && own == at {
			return id, true
		}
	}
	return 0, false
}

// tidOffsets are where a C library has the thread's number in what pthread_self points at: struct
// pthread of glibc for amd64 and arm64 (nptl/descr.h: tid), and of musl (src/internal/pthread_impl.h).
var tidOffsets = []task.Addr{0x2d0, 0xd0, 0x30, 0x38}

// darwinSlots is where Darwin's pthread_t has the thread-specific data (libpthread,
// src/internal.h: struct pthread_s, tsd).
const darwinSlots = 0xe0

// byHandle returns the own number of a thread by its pthread_t.
func (n *numbers) byHandle(m task.Memory, handle task.Addr) (task.ThreadID, bool) {
	if n.handle != nil {
		return n.bySlots(handle + darwinSlots)
	}
	for _, offset := range tidOffsets {
		var b [4]byte
		if task.ReadFull(m, b[:], handle+offset) != nil {
			continue
		}
		own := task.ThreadID(binary.LittleEndian.Uint32(b[:]))
		if _, ok := n.outer(own); ok && own != 0 {
			return own, true
		}
	}
	return 0, false
}
