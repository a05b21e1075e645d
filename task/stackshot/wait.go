package stackshot

import "stacksnap/task"

// WaitKind is the kind of object that a thread waits for (thread_snapshot_wait_flags,
// osfmk/kern/block_hint.h).
type WaitKind uint8

// The kinds. Each comment says what Owner of a [Waiting] is.
const (
	KernelMutex          WaitKind = 0x1 // a thread
	PortReceive          WaitKind = 0x2 // the port's name in the task that receives
	PortSetReceive       WaitKind = 0x3
	PortSend             WaitKind = 0x4 // pid of the receiver
	PortSendInTransit    WaitKind = 0x5 // another port
	Semaphore            WaitKind = 0x6 // pid of its creator
	KernelRWLockRead     WaitKind = 0x7 // a thread
	KernelRWLockWrite    WaitKind = 0x8 // a thread
	KernelRWLockUpgrade  WaitKind = 0x9 // a thread
	UserLock             WaitKind = 0xa // a thread; 0: a word of memory, not a lock
	PthreadMutex         WaitKind = 0xb // a thread
	PthreadRWLockRead    WaitKind = 0xc
	PthreadRWLockWrite   WaitKind = 0xd
	PthreadCondition     WaitKind = 0xe
	ParkedWorkQueue      WaitKind = 0xf
	WorkloopSync         WaitKind = 0x10 // a thread
	OnProcess            WaitKind = 0x11 // the argument of wait4
	SleepWithInheritor   WaitKind = 0x12 // a thread
	EventLink            WaitKind = 0x13 // a thread
	Compressor           WaitKind = 0x14 // a thread
	ParkedBoundWorkQueue WaitKind = 0x15
	PageBusy             WaitKind = 0x16
	PagerInit            WaitKind = 0x17
	PagerReady           WaitKind = 0x18
	PagingActivity       WaitKind = 0x19
	MappingInProgress    WaitKind = 0x1a
	MemoryBlocked        WaitKind = 0x1b
	PagingInProgress     WaitKind = 0x1c
	PageInThrottle       WaitKind = 0x1d
	ExclaveCore          WaitKind = 0x1e // a thread
	ExclaveKit           WaitKind = 0x1f // a thread
)

// Values of Owner that mean no owner (STACKSHOT_WAITOWNER_*). So do all above the
// last.
const (
	OwnerKernel    = ^uint64(0) - 1
	OwnerInTransit = ^uint64(0) - 4
	OwnerRequested = ^uint64(0) - 6 // a work loop waiting for a new thread
	OwnerSuspended = ^uint64(0) - 7 // a suspended work loop
)

// Waiting is what a thread waits for.
type Waiting struct {
	Waiter  task.ThreadID
	Kind    WaitKind
	Context uint64 // distinguishes objects; for memory of the program its address
	Owner   uint64 // as the kernel reports it; see [WaitKind]
	Reply   bool   // of a port: it is for a single reply
	Service string // of a port: its Mach service; "": none, or unknown
	// Thread owns what is waited for; 0: unknown.
	Thread task.ThreadID
	// PID is the process that has to act; 0: unknown.
	PID int
	// Hops is how many turnstiles led to Thread or PID; 0: the wait itself has them.
	Hops int
}

// Waits returns what the threads of the process wait for, as far as the kernel
// reports it.
func (p *Process) Waits() []Waiting {
	stiles := map[uint64]*Turnstile{}
	for i := range p.Task.Turnstiles {
		stiles[p.Task.Turnstiles[i].Waiter] = &p.Task.Turnstiles[i]
	}
	list := make([]Waiting, 0, len(p.Task.Waits))
	for i := range p.Task.Waits {
		list = append(list, p.waiting(&p.Task.Waits[i], stiles[p.Task.Waits[i].Waiter]))
	}
	return list
}

func (p *Process) waiting(w *WaitInfo, stile *Turnstile) Waiting {
	v := Waiting{Waiter: task.ThreadID(w.Waiter), Kind: WaitKind(w.Kind), Context: w.Context, Owner: w.Owner}
	v.Reply = v.Kind == PortReceive && w.Flags&SpecialReply != 0
	v.Service = p.labels[w.PortLabel]
	if isOwner := w.Owner != 0 && w.Owner < OwnerSuspended; isOwner && v.Kind.ownedByThread() {
		v.Thread = task.ThreadID(w.Owner)
	} else if isOwner && v.Kind.ownedByProcess() {
		v.PID = pidOf(w.Owner)
	}
	if stile != nil && v.Thread == 0 && v.PID == 0 {
		v.follow(stile, p.labels[stile.PortLabel])
	}
	return v
}

// follow applies what a turnstile leads to.
func (v *Waiting) follow(stile *Turnstile, service string) {
	switch {
	case stile.Context == 0:
		return
	case stile.Flags&TurnstileThread != 0:
		v.Thread = task.ThreadID(stile.Context)
	case stile.Flags&TurnstileTask != 0:
		v.PID = pidOf(stile.Context)
	default:
		return
	}
	v.Hops = int(stile.Hops)
	if v.Service == "" {
		v.Service = service
	}
}

// pidOf returns n as a pid; 0 if it is none, as some arguments of wait4.
func pidOf(n uint64) int {
	if n > 1<<31-1 {
		return 0
	}
	return int(n)
}

func (k WaitKind) ownedByThread() bool {
	switch k {
	case KernelMutex, KernelRWLockRead, KernelRWLockWrite, KernelRWLockUpgrade, UserLock, PthreadMutex,
		PthreadRWLockRead, PthreadRWLockWrite, WorkloopSync, SleepWithInheritor, EventLink, Compressor, ExclaveCore, ExclaveKit:
		return true
	}
	return false
}

func (k WaitKind) ownedByProcess() bool { return k == PortSend || k == Semaphore || k == OnProcess }
