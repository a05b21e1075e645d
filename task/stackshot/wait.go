package stackshot

import "stacksnap/task"

// WaitKind is what sort of thing a thread waits for (thread_snapshot_wait_flags,
// osfmk/kern/block_hint.h).
type WaitKind uint8

// The kinds. Behind each is what the owner of a [WaitInfo] is.
const (
	KernelMutex          WaitKind = 0x1 // a thread
	PortReceive          WaitKind = 0x2 // the port's name in the task that receives
	PortSetReceive       WaitKind = 0x3
	PortSend             WaitKind = 0x4 // the pid of who receives
	PortSendInTransit    WaitKind = 0x5 // another port
	Semaphore            WaitKind = 0x6 // the pid of who made it
	KernelRWLockRead     WaitKind = 0x7 // a thread
	KernelRWLockWrite    WaitKind = 0x8 // a thread
	KernelRWLockUpgrade  WaitKind = 0x9 // a thread
	UserLock             WaitKind = 0xa // a thread; 0: it is no lock, but a word
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

// Owners that are none (STACKSHOT_WAITOWNER_*); all above the last are such.
const (
	OwnerKernel    = ^uint64(0) - 1
	OwnerInTransit = ^uint64(0) - 4
	OwnerRequested = ^uint64(0) - 6 // a work loop that waits for a new thread
	OwnerSuspended = ^uint64(0) - 7 // a work loop that is suspended
)

// Waiting is what a thread waits for.
type Waiting struct {
	Waiter  task.ThreadID
	Kind    WaitKind
	Context uint64 // tells objects apart; of memory of the program its address
	Owner   uint64 // as the kernel tells it, whatever it is
	Reply   bool   // of a port: it is for one reply alone
	Service string // of a port: the Mach service that it is of; empty: of none, or not told
	// Thread is who has what is waited for; 0 where that is not known.
	Thread task.ThreadID
	// PID is the process that is to do something, 0 where that is not known.
	PID int
	// Hops is how many turnstiles led to Thread or PID; 0: the wait itself told.
	Hops int
}

// Waits lists what the threads of the process wait for, as far as the kernel tells.
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

// follow takes over where turnstiles lead.
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

// pidOf is a number as a pid; 0 where it is none: wait4 takes others, too.
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
