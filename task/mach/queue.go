package mach

import (
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"

	"stacksnap/task"
)

// queueOffsets is the beginning of libdispatch's dispatch_queue_offsets, a
// structure of uint16 that it publishes for debuggers (libdispatch,
// private/queue_private.h, struct dispatch_queue_offsets_s). The zero value
// knows no offsets.
type queueOffsets struct {
	version   uint16
	label     uint16 // from the queue's address
	labelSize uint16
}

// The bounds of queue labels.
const (
	queueOffsetsSize  = 6
	pointerLabels     = 4 // the first version whose queues point to their labels
	maxQueueLabel     = 256
	maxQueueLabelSpot = 4096 // no queue is larger
)

// SetQueueOffsets tells where the target's symbol dispatch_queue_offsets is
// (libdispatch's, without the leading underscore). Without this call the
// offsets are those of our own libdispatch, which a target shares unless it was
// given another (a simulator's, for one).
func (p *Process) SetQueueOffsets(a task.Addr) error {
	var b [queueOffsetsSize]byte
	if err := task.ReadFull(p.Memory(), b[:], a); err != nil {
		return fmt.Errorf("dispatch_queue_offsets: %w", err)
	}
	o := parseQueueOffsets(b[:])
	if !o.plausible() {
		return fmt.Errorf("dispatch_queue_offsets at %v: version %d, label at %d: not understood", a, o.version, o.label)
	}
	p.queues = o
	return nil
}

// parseQueueOffsets reads queueOffsetsSize bytes.
func parseQueueOffsets(b []byte) queueOffsets {
	le := binary.LittleEndian
	return queueOffsets{version: le.Uint16(b), label: le.Uint16(b[2:]), labelSize: le.Uint16(b[4:])}
}

func (o queueOffsets) plausible() bool {
	return o.version > 0 && o.label > 0 && o.label < maxQueueLabelSpot && o.labelSize > 0 && o.labelSize <= maxQueueLabel
}

// queueLabel returns the label of the queue that a thread works for, and
// nothing where it works for none, or any step on the way to it fails.
func (p *Process) queueLabel(name port) string {
	if !p.queues.plausible() {
		return ""
	}
	who, r := p.k.identity(name)
	if r != success || who.queue == 0 {
		return ""
	}
	queue := p.pointer(who.queue)
	if queue == 0 {
		return ""
	}
	at, limit := queue+task.Addr(p.queues.label), int(p.queues.labelSize)
	if p.queues.version >= pointerLabels {
		at, limit = p.pointer(at), maxQueueLabel
	}
	if at == 0 {
		return ""
	}
	return printable(p.text(at, limit))
}

// pointer reads a pointer of the target without its signature; 0 when it cannot
// be read.
func (p *Process) pointer(a task.Addr) task.Addr {
	v, err := task.ReadPointer(p.Memory(), a, p.info.Arch.PointerSize())
	if err != nil {
		return 0
	}
	return v & task.Addr(p.info.CodeMask)
}

// text reads a string that may fill its place without a NUL.
func (p *Process) text(a task.Addr, limit int) string {
	s, err := task.ReadCString(p.Memory(), a, limit)
	if err != nil {
		return ""
	}
	return s
}

// printable returns s, or nothing where it cannot be a label: the offsets were
// another library's then, or the queue was freed under our reading.
func printable(s string) string {
	if !utf8.ValidString(s) {
		return ""
	}
	for _, c := range s {
		if !unicode.IsPrint(c) {
			return ""
		}
	}
	return s
}
