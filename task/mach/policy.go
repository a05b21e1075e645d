package mach

import (
	"encoding/binary"
	"math/bits"

	"stacksnap/task"
)

// Where libpthread keeps, in a thread's own data, what class it asked for
// (libpthread, private/pthread/tsd_private.h): slots of a pointer's size.
const (
	selfSlot = 0 // the pthread_t itself, in which the slots are
	qosSlot  = 4
	slots    = 5
	slotSize = 8
	// queueSlot is __PTK_LIBDISPATCH_KEY0, which the kernel is told as where the
	// dispatch queue is (src/pthread.c, __pthread_init).
	queueSlot = 20

	maxSlotsOffset = 4096 // of the slots from the pthread_t
)

// A pthread_priority_t (libpthread, private/pthread/qos_private.h and
// priority_private.h): one bit for the class, from the eighth on, and flags.
const (
	priorityShift    = 8
	priorityClasses  = 0x00003f00 // _PTHREAD_PRIORITY_VALID_QOS_CLASS_MASK; above it is an override's class
	priorityIsNumber = 0x20000000 // a scheduling priority stands in place of the class
)

// qos reads what class a thread asks for. It is not what the kernel grants, which
// may be more for a while (a lock that a more urgent thread waits for), or less.
func (p *Process) qos(who identity) task.QoS {
	at := who.handle
	if who.queue != 0 {
		at = who.queue - queueSlot*slotSize
	}
	if at == 0 || p.info.Arch.PointerSize() != slotSize || p.info.Translated {
		return task.UnknownQoS
	}
	var b [slots * slotSize]byte
	if task.ReadFull(p.Memory(), b[:], at) != nil {
		return task.UnknownQoS
	}
	slot := func(i int) uint64 { return binary.LittleEndian.Uint64(b[i*slotSize:]) }
	self := task.Addr(slot(selfSlot)) & task.Addr(p.info.CodeMask)
	if self > at || at-self >= maxSlotsOffset {
		return task.UnknownQoS // the thread has ended, and its memory is something else
	}
	return qosOf(slot(qosSlot))
}

// qosOf decodes a pthread_priority_t.
func qosOf(priority uint64) task.QoS {
	class := priority & priorityClasses >> priorityShift
	if priority&priorityIsNumber != 0 || bits.OnesCount64(class) != 1 {
		return task.UnknownQoS
	}
	if q := task.Maintenance + task.QoS(bits.TrailingZeros64(class)); q <= task.UserInteractive {
		return q
	}
	return task.UnknownQoS
}
