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
	version    uint16
	label      uint16 // from the queue's address, like all
	labelSize  uint16
	serial     uint16
	serialSize uint16
}

// queueName is what a queue is told by; the zero value is no queue's.
type queueName struct {
	label  string
	serial uint64 // 0: unknown
}

// The bounds of queue labels.
const (
	queueOffsetsSize = 14 // all versions have 22 bytes or more, and these at the same places
	oldestOffsets    = 3  // the first version that is known, of libdispatch-187.5
	pointerLabels    = 4  // the first version whose queues point to their labels
	maxQueueLabel    = 256
	maxQueueSpot     = 4096 // no queue is larger
	maxApart         = 64   // label and number are neighbours in all versions
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
	return queueOffsets{
		version: le.Uint16(b),
		label:   le.Uint16(b[2:]), labelSize: le.Uint16(b[4:]),
		serial: le.Uint16(b[10:]), serialSize: le.Uint16(b[12:]),
	}
}

func (o queueOffsets) plausible() bool {
	return o.version > 0 && o.label > 0 && o.label < maxQueueSpot && o.labelSize > 0 && o.labelSize <= maxQueueLabel
}

// hasSerial reports whether queues have their number where the offsets say: an
// unsigned long (libdispatch, src/queue_internal.h, DISPATCH_QUEUE_CLASS_HEADER).
func (o queueOffsets) hasSerial(pointerSize int) bool {
	size := int(o.serialSize)
	apart := max(o.label, o.serial) - min(o.label, o.serial)
	return o.version >= oldestOffsets && o.serial > 0 && size == pointerSize && int(o.serial)%size == 0 && apart <= maxApart
}

// queueOf returns the name of the queue that a thread works for, and none where
// it works for none, or any step on the way to its label fails. The target runs
// meanwhile: label and number stand only if both are read again, of the same queue,
// which may have been freed between two steps, and another made in its place.
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

// queueWords reads a queue's pointer to its label and its number in one call; each
// is 0 where it is not known.
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
