package waits

import (
	"encoding/binary"

	"stacksnap/images/object"
	"stacksnap/task"
)

// The structure in which libdispatch publishes the layout of its queues, as u16 fields
// (libdispatch, private/layout_private.h, struct dispatch_queue_offsets_s).
const (
	offsetsSymbol = "_dispatch_queue_offsets"
	offsetsLabel  = 1 * 2  // dqo_label
	offsetsTarget = 13 * 2 // dqo_target_queue, since version 5
	offsetsSize   = 15 * 2

	targetOffsets = 5 // the first version with dqo_target_queue
)

// knowsQueues reports whether the layout of the target's dispatch queues is the one known
// here. If libdispatch publishes none, it is assumed to be.
func (f *Finder) knowsQueues() bool {
	if !f.queuesAsked {
		f.queuesAsked, f.queuesKnown = true, f.queuesAreKnown()
	}
	return f.queuesKnown
}

func (f *Finder) queuesAreKnown() bool {
	if f.info.Arch.PointerSize() != 8 {
		return false
	}
	a, ok := f.queueOffsets()
	if !ok {
		return true
	}
	var b [offsetsSize]byte
	if task.ReadFull(f.process.Memory(), b[:], a) != nil {
		return true
	}
	le := binary.LittleEndian
	if le.Uint16(b[offsetsLabel:]) != queueLabel {
		return false
	}
	return le.Uint16(b[:]) < targetOffsets || le.Uint16(b[offsetsTarget:]) == queueTarget
}

func (f *Finder) queueOffsets() (task.Addr, bool) {
	if f.images == nil {
		return 0, false
	}
	for _, im := range f.images.Images {
		file, ok := im.File.(object.DataSymbolFinder)
		if !ok || im.Name() != "libdispatch.dylib" {
			continue
		}
		vmaddr, ok := file.DataSymbol(offsetsSymbol)
		return im.Addr(vmaddr), ok
	}
	return 0, false
}
