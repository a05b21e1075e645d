package profile

import "stacksnap/task"

// PageFault is the Call of a thread that is blocked outside a system call: it has touched
// memory that is not present yet.
const PageFault = "page fault"

// Wait is what a thread waits for, as far as known.
type Wait struct {
	Call   string // the system call, without decoration: "futex", "read", "psynch_mutexwait"; or [PageFault]
	Object string // the object of the call, in words: "fd 3 pipe:[53343]"; empty if unknown
	Lock   LockKind
	Addr   task.Addr // address of the lock; 0 for a file lock, or if there is no lock
	// Variable is the variable of the target that contains the lock or, if the wait is for no
	// lock, the word: "checking", "bank+8". It is empty if no variable does, or if it is
	// unknown.
	Variable string
	// Owner is the thread that holds the lock, or for ThreadEnd the thread that must end. It
	// is a live thread of the target, read while the waiting one waited; 0 if unknown.
	Owner     task.ThreadID
	OwnerName string
	// GoneOwner is the thread that holds the lock if it is not, or no longer, a thread of the
	// target; 0 if there is none, or it is unknown.
	GoneOwner task.ThreadID
	Gone      task.Outsider // what is certain of GoneOwner
	// OwnerPID is the process that holds a file lock; 0 if unknown.
	OwnerPID int
	Readers  int // number of readers that hold a read-write lock; the lock does not record which
	// Receives is set for a call of mach_msg that waits for any message, neither sending one
	// nor waiting for the reply to one.
	Receives bool
	// Peer is the process that it waits for; zero if unknown.
	Peer Peer
	// Hung is the number of threads of the process if all of them wait in futexes without a
	// timeout, so that none can wake another, and the process has no signal handler that might;
	// 0 if that is not known.
	Hung int
	// Stalled are connections on which nothing moves while the main thread waits for events; nil if
	// none are known.
	Stalled *task.Stalled
}

// Peer is a process, or a thread of it, that can end a wait.
type Peer struct {
	PID        int // pid; 0: no peer is known
	Name       string
	Thread     task.ThreadID // the thread; 0 if unknown
	ThreadName string
	Action     Action
	// Others is set if processes that could not be examined may be able to end the wait too.
	Others bool
	// Self is set if the peer is the process of the waiting thread: it has both ends.
	Self bool
	// AlsoSelf is set if the peer and the process of the waiting thread both have the other end.
	AlsoSelf bool
}

// WaitsForOther reports whether the wait is for another, known process, and the waiting process
// itself cannot take that process's place.
func (w *Wait) WaitsForOther() bool { return w.Peer.PID != 0 && !w.Peer.Self && !w.Peer.AlsoSelf }

// Action is what a peer must do to end a wait.
type Action uint8

// The actions of a peer that end a wait.
const (
	NoAction Action = iota
	Write           // write to the other end of the descriptor
	Read            // read from the other end of the descriptor
	End             // end the process
	Release         // release the lock
	Reply           // reply to a message
	numActions
)

var actionNames = [numActions]string{"", "write", "read", "end", "release", "reply"}

// String returns the action in a word; it is empty for NoAction.
func (a Action) String() string {
	if int(a) >= len(actionNames) {
		return "unknown"
	}
	return actionNames[a]
}

// Waited is a wait and the number of observations of a thread that found it. Owner is set
// only if it was the same in all of them.
type Waited struct {
	Wait
	Looks  int
	Owners bool // the owner varied
}

// The least observations, and the least share of them (1/usualShare), of a wait that is
// usual for a thread.
const (
	usualLooks = 2
	usualShare = 10 // 1/usualShare of the observations
)

// UsualWaits returns those of t.Waits that were found repeatedly. If there was only one
// observation, its wait counts if the thread slept in most of its samples.
func (t *Thread) UsualWaits() []Waited {
	if t.Looks == 1 && 2*(t.States[task.Sleeping]+t.States[task.Uninterruptible]) > t.Samples {
		return t.Waits
	}
	i := 0
	for i < len(t.Waits) && t.Waits[i].Looks >= usualLooks && t.Waits[i].Looks*usualShare >= t.Looks {
		i++
	}
	return t.Waits[:i]
}

// ConstantWait returns the wait that every observation of the thread found, with the same
// owner; nil if it did not wait, or not always for the same. In a profile of one snapshot that
// is Wait.
func (t *Thread) ConstantWait(sampled bool) *Wait {
	if !sampled {
		return t.Wait
	}
	if len(t.Waits) != 1 || t.Waits[0].Owners || t.Waits[0].Looks != t.Looks {
		return nil
	}
	return &t.Waits[0].Wait
}

// LockKind is the kind of thing that a thread waits for, mostly a lock.
type LockKind uint8

// The kinds of locks.
const (
	NoLock          LockKind = iota // not a lock
	Mutex                           // a pthread mutex
	ReadWrite                       // a pthread read-write lock
	UnfairLock                      // an os_unfair_lock, or a lock built on one
	FileLock                        // a lock of flock or fcntl
	ThreadEnd                       // no lock: the end of a thread, by pthread_join
	Queue                           // a dispatch queue, by dispatch_sync; Owner drains it, or holds it for a dispatch_sync
	Once                            // a call that another thread is making: dispatch_once, pthread_once
	KernelMutex                     // a mutex of the kernel
	KernelReadWrite                 // a read-write lock of the kernel
	KernelLock                      // another lock of the kernel
	GIL                             // the lock that a thread of CPython holds while it runs Python code
	numLockKinds
)

var lockNames = [numLockKinds]string{"", "mutex", "rwlock", "unfair lock", "file lock", "thread", "queue", "one-time call", "kernel mutex", "kernel rwlock", "kernel lock", "GIL"}

// String returns the kind in a word or two; it is empty for NoLock.
func (k LockKind) String() string {
	if int(k) >= len(lockNames) {
		return "unknown"
	}
	return lockNames[k]
}
