package waits

import (
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// The fields of struct dispatch_sync_context_s, which a thread in dispatch_sync or
// dispatch_async_and_wait has on its stack (libdispatch-1008 to 1542,
// src/queue_internal.h; the same in 64-bit programs of both architectures). The structure
// contains its own address, by which it is recognised.
const (
	contextFlags  = 0x00 // dc_flags
	contextSelf   = 0x28 // dc_ctxt: the context itself
	contextBase   = 0x30 // dc_data: the workloop that is waited for, or wlhAnonymous
	contextQueue  = 0x38 // dc_other: the queue that the caller named
	contextEvent  = 0x60 // dsc_event.dte_value: the word of __ulock_wait
	contextWaiter = 0x64 // dsc_waiter: the name of the thread's port
	contextSize   = 0x68

	flagSyncWaiter = 1 // DC_FLAG_SYNC_WAITER

	maxContextDepth = 16 << 10 // bytes above sp in which a context is looked for
)

// syncContext has the fields of a context that are used.
type syncContext struct {
	queue  task.Addr
	base   task.Addr
	waiter uint32
}

// contextAt reads a context from the copied stack; false if there is none at a.
func contextAt(t *task.Thread, a task.Addr) (syncContext, bool) {
	var b [contextSize]byte
	if n, _ := t.ReadMemory(b[:], a); n < len(b) {
		return syncContext{}, false
	}
	le := binary.LittleEndian
	c := syncContext{
		queue:  task.Addr(le.Uint64(b[contextQueue:])),
		base:   task.Addr(le.Uint64(b[contextBase:])),
		waiter: le.Uint32(b[contextWaiter:]),
	}
	is := task.Addr(le.Uint64(b[contextSelf:])) == a && le.Uint64(b[contextFlags:])&flagSyncWaiter != 0
	return c, is && c.queue != 0 && c.waiter != 0
}

// queueByEvent reports whether a thread waits for the event of a dispatch_sync, and then
// sets the queue.
func (f *Finder) queueByEvent(w *profile.Wait, c *call, t *task.Thread, word task.Addr) bool {
	if f.info.Arch.PointerSize() != 8 {
		return false
	}
	context, ok := contextAt(t, word-contextEvent)
	if ok {
		f.queue(w, c, t, context)
	}
	return ok
}

// workloop sets the queue that a thread in kevent_id waits for. The first argument is the
// workloop: the last target of the queue that the caller named (libdispatch-1542,
// src/event/event_kevent.c, _dispatch_event_loop_wait_for_ownership).
func (f *Finder) workloop(w *profile.Wait, c *call, t *task.Thread) {
	base := task.Addr(c.Args[0])
	context, ok := f.findContext(t, base)
	if !ok {
		port, _ := f.portOf(t.ID)
		context = syncContext{queue: base, waiter: port}
	}
	f.queue(w, c, t, context)
}

// findContext returns the context for a workloop on the thread's stack.
func (f *Finder) findContext(t *task.Thread, base task.Addr) (syncContext, bool) {
	sp := t.Registers.SP() &^ 7
	for a := sp; a < sp+maxContextDepth; a += 8 {
		var b [8]byte
		if n, _ := t.ReadMemory(b[:], a+contextSelf); n < len(b) {
			break
		}
		if task.Addr(binary.LittleEndian.Uint64(b[:])) != a {
			continue
		}
		if c, ok := contextAt(t, a); ok && c.base == base {
			return c, true
		}
	}
	return syncContext{}, false
}

// queue sets the queue that blocks a thread in dispatch_sync, and the queue's owner. It is
// the first, of the context's queue and its targets, that the thread does not own.
func (f *Finder) queue(w *profile.Wait, c *call, t *task.Thread, context syncContext) {
	w.Lock, w.Addr = profile.Queue, context.queue
	top, ok := f.readQueue(context.queue)
	if !ok {
		return
	}
	q := f.blocking(top, context.waiter)
	owner := task.ThreadID(0)
	if q.owner() != 0 {
		owner = f.byPort(q.owner())
	}
	name := f.queueName(q, top)
	if !f.stillIn(t, c) {
		return // what was read may belong to another wait
	}
	w.Addr, w.Object = q.at, name
	if owner != t.ID {
		w.Owner = owner
	}
}

// The fields of struct dispatch_queue_s (libdispatch-1008 to 1542,
// src/queue_internal.h, _DISPATCH_QUEUE_CLASS_HEADER), of 64-bit programs.
const (
	queueTarget = 0x18 // do_targetq
	queueState  = 0x38 // dq_state
	queueLabel  = 0x48 // dq_label
	queueWidth  = 0x50 // dq_width, u16
	queueSize   = 0x58

	ownerMask = 0xfffffffc // DLOCK_OWNER_MASK, of the lower half of dq_state

	maxTargets    = 16
	maxQueueLabel = 256
)

// queue has the fields of a dispatch queue that are used.
type queue struct {
	at     task.Addr
	target task.Addr
	state  uint64
	label  task.Addr
	width  uint16
}

func (f *Finder) readQueue(a task.Addr) (queue, bool) {
	var b [queueSize]byte
	if a == 0 || a%8 != 0 || !f.knowsQueues() || task.ReadFull(f.process.Memory(), b[:], a) != nil {
		return queue{}, false
	}
	le := binary.LittleEndian
	return queue{
		at:     a,
		target: task.Addr(le.Uint64(b[queueTarget:])),
		state:  le.Uint64(b[queueState:]),
		label:  task.Addr(le.Uint64(b[queueLabel:])),
		width:  le.Uint16(b[queueWidth:]),
	}, true
}

// owner returns the name of the port of the thread that drains the queue or holds it for a
// dispatch_sync, without the bits that all names have; 0 if there is none.
func (q *queue) owner() uint32 { return uint32(q.state) & ownerMask }

// suspended is _dq_state_is_suspended; it is true of an inactive queue too.
func (q *queue) suspended() bool { return q.state >= 1<<56 }

// blocking follows the targets of a queue as dispatch_sync does, and returns the queue that
// blocks the waiting thread. It skips queues that the thread owns, and concurrent queues
// without an owner.
func (f *Finder) blocking(q queue, waiter uint32) queue {
	found := q
	for range maxTargets {
		if q.owner() != 0 && q.owner() != waiter&ownerMask {
			return q
		}
		if q.owner() == 0 && (q.width == 1 || q.suspended()) {
			return q
		}
		if q.owner() != 0 {
			found = q
		}
		next, ok := f.readQueue(q.target)
		if !ok {
			break
		}
		q = next
	}
	return found
}

// queueName describes a queue and, if it is only a target, the queue that led to it.
func (f *Finder) queueName(q, top queue) string {
	name := f.label(q)
	if top.at != q.at {
		if from := f.label(top); from != "" {
			name += fmt.Sprintf(" (the target of %s)", from)
		}
	}
	if q.suspended() {
		name += " (suspended)"
	}
	return name
}

// label returns a queue's label in quotes; empty if it has none.
func (f *Finder) label(q queue) string {
	if q.label == 0 {
		return ""
	}
	s, err := task.ReadCString(f.process.Memory(), q.label, maxQueueLabel)
	if err != nil || s == "" || !utf8.ValidString(s) {
		return ""
	}
	for _, c := range s {
		if !unicode.IsPrint(c) {
			return ""
		}
	}
	return `"` + s + `"`
}
