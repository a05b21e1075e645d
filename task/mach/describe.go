package mach

import (
	"encoding/binary"
	"math/bits"

	"stacksnap/task"
)

// Describe fills in the thread's name, queue, state, CPU times, priority, quality of service and
// suspend count. If the kernel refuses one flavor of information, only the facts in it are
// missing. The state is that of the moment, so Describe is called while the target runs; see
// isHalted.
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	h := p.lookup(id)
	if h == nil {
		return task.ErrThreadGone
	}
	t.ID = id
	name := h.port
	basic, r := p.k.basic(name)
	if r != success && p.threadGone(name, r) {
		return task.ErrThreadGone
	}
	if r == success {
		t.State = state(basic.runState)
		t.User, t.System = basic.user, basic.system
		t.SuspendCount = int(basic.suspendCount)
	}
	p.describeMore(name, t, r != success)
	if t.State != task.Ended && (p.halted || t.SuspendCount > 0) {
		t.State = task.Stopped
	}
	t.Queue, t.QueueSerial, t.QoS = "", 0, task.UnknownQoS
	if who, r := p.k.identity(name); r == success {
		q := p.queueOf(who)
		t.Queue, t.QueueSerial, t.QoS = q.label, q.serial, p.qos(who)
		h.foreseen.handle = p.ownDataOf(who)
	}
	return nil
}

// describeMore adds the name and, if the basic information is missing, what it would have had.
// If the kernel does not know this flavor of thread_info, it is not used again.
func (p *Process) describeMore(name port, t *task.Thread, all bool) {
	if p.noExtended {
		return
	}
	more, r := p.k.extended(name)
	if r != success {
		p.noExtended = r == invalidArgument && !p.k.isDead(name)
		return
	}
	t.Name, t.Priority = more.name, more.priority
	if all {
		t.State = state(more.runState)
		t.User, t.System = more.user, more.system
	}
}

// isHalted reports whether someone other than us has stopped the whole target: by a hold on its
// task, as a debugger places, or by a signal. Most of its threads are then reported as waiting
// (osfmk/kern/thread.c, retrieve_thread_basic_info).
func (p *Process) isHalted() bool {
	if info, r := p.k.taskBasic(p.task); r == success && info.suspendCount > 0 {
		return true
	}
	b, e := p.k.bsdInfo(p.pid)
	return e == ok && b.status == statusStopped
}

// state translates TH_STATE_* (osfmk/mach/thread_info.h).
func state(run int32) task.State {
	switch run {
	case 1: // TH_STATE_RUNNING
		return task.Running
	case 2: // TH_STATE_STOPPED
		return task.Stopped
	case 3: // TH_STATE_WAITING
		return task.Sleeping
	case 4: // TH_STATE_UNINTERRUPTIBLE
		return task.Uninterruptible
	case 5: // TH_STATE_HALTED
		return task.Ended
	}
	return task.StateUnknown
}

// ThreadHandle implements [task.Capabilities].ThreadHandle for threads that were listed.
// dispatch_qaddr, too, is relative to the start of the thread's own data, and kernels that
// return another thread_handle than XNU have it right.
func (p *Process) ThreadHandle(id task.ThreadID) (task.Addr, bool) {
	name, found := p.find(id)
	if !found {
		return 0, false
	}
	who, r := p.k.identity(name)
	if r != success || who.handle == 0 {
		return 0, false
	}
	return p.ownDataOf(who), true
}

// ownDataOf returns where a thread's own data begins, 0 if it has none yet.
func (p *Process) ownDataOf(who identity) task.Addr {
	if offset := task.Addr(queueSlot * p.info.Arch.PointerSize()); who.handle != 0 && who.queue > offset {
		return who.queue - offset
	}
	return who.handle
}

// Where libpthread keeps, in a thread's own data, the class that the thread asked for
// (libpthread, private/pthread/tsd_private.h): slots of pointer size.
const (
	selfSlot = 0 // the pthread_t itself, which contains the slots
	qosSlot  = 4
	slots    = 5
	slotSize = 8
	// queueSlot is __PTK_LIBDISPATCH_KEY0. libpthread tells the kernel that the dispatch queue
	// is in this slot (src/pthread.c, __pthread_init).
	queueSlot = 20

	maxSlotsOffset = 4096 // of the slots from the pthread_t
)

// A pthread_priority_t (libpthread, private/pthread/qos_private.h and
// priority_private.h): one bit for the class, from the eighth on, and flags.
const (
	priorityShift    = 8
	priorityClasses  = 0x00003f00 // _PTHREAD_PRIORITY_VALID_QOS_CLASS_MASK; above it is an override's class
	priorityIsNumber = 0x20000000 // a scheduling priority takes the place of the class
)

// qos reads the class that a thread asks for. The kernel may temporarily grant a higher one (for
// a lock that a more urgent thread waits for), or a lower one.
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
		return task.UnknownQoS // the thread has ended, and its memory has been reused
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
