package mach

import (
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"

	"stacksnap/task"
)

// queueOffsets is the start of libdispatch's dispatch_queue_offsets, a structure of uint16 that
// it publishes for debuggers (libdispatch, private/queue_private.h, struct
// dispatch_queue_offsets_s). In the zero value no offset is known.
type queueOffsets struct {
	version    uint16
	label      uint16 // from the queue's address, like all offsets
	labelSize  uint16
	serial     uint16
	serialSize uint16
}

// queueName identifies a queue to the user; the zero value means no queue.
type queueName struct {
	label  string
	serial uint64 // 0: unknown
}

// The bounds of queue labels.
const (
	queueOffsetsSize = 14 // all versions have at least 22 bytes, with these fields at the same places
	oldestOffsets    = 3  // the oldest known version, of libdispatch-187.5
	pointerLabels    = 4  // the first version whose queues point to their labels
	maxQueueLabel    = 256
	maxQueueSpot     = 4096 // no queue is larger
	maxApart         = 64   // label and number are close together in all versions
)

// SetQueueOffsets sets the address of the target's symbol dispatch_queue_offsets (libdispatch's,
// without the leading underscore). Without this call the offsets are those of our own
// libdispatch, which the target shares unless it has another one (such as a simulator's).
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

// parseQueueOffsets decodes queueOffsetsSize bytes.
func parseQueueOffsets(b []byte) queueOffsets {
	le := binary.LittleEndian
	return queueOffsets{
		version: le.Uint16(b),
		label:   le.Uint16(b[2:]), labelSize: le.Uint16(b[4:]),
		serial: le.Uint16(b[10:]), serialSize: le.Uint16(b[12:]),
	}
}

func (o queueOffsets) plausible() bool {
	return o.version > 0 && o.label > 0 && o.label < maxQueueSpot && o.labelSize > 0 && o.labelSize <= maxQueueLabel
}

// hasSerial reports whether the offsets say where queues have their number, which is an unsigned
// long (libdispatch, src/queue_internal.h, DISPATCH_QUEUE_CLASS_HEADER).
func (o queueOffsets) hasSerial(pointerSize int) bool {
	size := int(o.serialSize)
	apart := max(o.label, o.serial) - min(o.label, o.serial)
	return o.version >= oldestOffsets && o.serial > 0 && size == pointerSize && int(o.serial)%size == 0 && apart <= maxApart
}

// queueOf returns the name of the queue that a thread works for. It returns none if the thread
// works for no queue, or if any step on the way to the label fails. The target runs meanwhile:
// label and number are used only if a second reading, of the same queue, finds them again,
// because the queue may have been freed between two steps and another made in its place.
func (p *Process) queueOf(who identity) queueName {
	if !p.queues.plausible() || who.queue == 0 {
		return queueName{}
	}
	queue := p.pointer(who.queue)
	name := p.nameOf(queue)
	if name.label == "" || p.nameOf(queue) != name || p.pointer(who.queue) != queue {
		return queueName{}
	}
	return name
}

func (p *Process) nameOf(queue task.Addr) queueName {
	if queue == 0 {
		return queueName{}
	}
	label, serial := p.queueWords(queue)
	limit := maxQueueLabel
	if p.queues.version < pointerLabels {
		label, limit = queue+task.Addr(p.queues.label), int(p.queues.labelSize)
	}
	if label == 0 {
		return queueName{}
	}
	return queueName{label: printable(p.text(label, limit)), serial: serial}
}

// queueWords reads a queue's pointer to its label, and its number, in one call; each is 0 if it
// is not known.
func (p *Process) queueWords(queue task.Addr) (label task.Addr, serial uint64) {
	o, size := p.queues, p.info.Arch.PointerSize()
	from, to := int(o.label), int(o.label)+size
	if o.hasSerial(size) {
		from, to = min(from, int(o.serial)), max(to, int(o.serial)+size)
	}
	var b [maxApart + 8]byte
	if task.ReadFull(p.Memory(), b[:to-from], queue+task.Addr(from)) != nil {
		return 0, 0
	}
	word := func(offset uint16) uint64 {
		var w [8]byte
		copy(w[:size], b[int(offset)-from:])
		return binary.LittleEndian.Uint64(w[:])
	}
	if o.hasSerial(size) {
		serial = word(o.serial)
	}
	return task.Addr(word(o.label) & p.info.CodeMask), serial
}

// pointer reads a pointer of the target and removes its signature; 0 if it cannot be read.
func (p *Process) pointer(a task.Addr) task.Addr {
	v, err := task.ReadPointer(p.Memory(), a, p.info.Arch.PointerSize())
	if err != nil {
		return 0
	}
	return v & task.Addr(p.info.CodeMask)
}

// text reads a string of at most limit bytes. It need not end with a NUL.
func (p *Process) text(a task.Addr, limit int) string {
	s, err := task.ReadCString(p.Memory(), a, limit)
	if err != nil {
		return ""
	}
	return s
}

// printable returns s, or "" if it cannot be a label: then the offsets were those of another
// library, or the queue was freed while we read it.
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
