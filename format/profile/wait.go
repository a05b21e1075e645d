package profile

import "stacksnap/task"

// PageFault stands for the call of a thread that waits in none: it has touched
// memory that is not there yet.
const PageFault = "page fault"

// Wait is what a thread waits for, as far as that can be told.
type Wait struct {
	Call   string // the system call, without decoration: "futex", "read", "psynch_mutexwait"; or [PageFault]
	Object string // what it is about, in words: "fd 3 pipe:[53343]"; empty when not known
	Lock   LockKind
	Addr   task.Addr // of the lock in memory; 0 for a file's, or when there is none
	// Owner is the thread that holds the lock, or with ThreadEnd the thread that is
	// to end. It is a live thread of the target, found while the waiting one waited;
	// 0 when not known.
	Owner     task.ThreadID
	OwnerName string
	// OwnerPID is the process that holds a file's lock; 0 when not known.
	OwnerPID int
	Readers  int // that hold a read-write lock, whose names it does not keep
	// Receives, of the calls of mach_msg: it waits for whatever message comes next, and
	// neither sends one nor waits for the reply to one.
	Receives bool
	// Peer is the one in another process for whom it waits; zero when not known, and
	// in profiles that were not captured with others.
	Peer Peer
}

// Peer is who in another process ends a wait.
type Peer struct {
	PID        int // of the process; 0: no peer is known
	Name       string
	Thread     task.ThreadID // the thread of it; 0 when it is not known which
	ThreadName string
	Action     Action
	// Others: there may be others that can do it as well, of processes that could not
	// be asked.
	Others bool
}

// Action is what a peer has to do.
type Action uint8

// What peers do.
const (
	NoAction Action = iota
	Write           // to the other end of what is read
	Read            // from the other end of what is written to
	End             // the process
	Release         // the lock
	Reply           // to a message
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

// Waited is what a thread was found to wait for in some of the looks at it. Who
// holds the lock is told when it was the same in all of them.
type Waited struct {
	Wait
	Looks  int
	Owners bool // it was held by one thread after another
}

// The waits that tell of a thread what it usually does, and not what it happened
// to do once.
const (
	usualLooks = 2
	usualShare = 10 // one in so many looks
)

// UsualWaits returns those of t.Waits that it was found in again and again. A
// thread that was asked once only must besides have slept most of the time.
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

// LockKind is what sort of thing a thread waits to get.
type LockKind uint8

// The kinds of locks.
const (
	NoLock          LockKind = iota // it waits for something else
	Mutex                           // a pthread mutex
	ReadWrite                       // a pthread read-write lock
	UnfairLock                      // an os_unfair_lock, or what is built on one
	FileLock                        // of flock or fcntl
	ThreadEnd                       // no lock: pthread_join
	Queue                           // a dispatch queue, of dispatch_sync; Owner drains it, or has it for a dispatch_sync
	Once                            // what another thread is about to do once: dispatch_once, pthread_once
	KernelMutex                     // of the kernel, not of the program
	KernelReadWrite                 // likewise
	KernelLock                      // another one of the kernel
	numLockKinds
)

var lockNames = [numLockKinds]string{"", "mutex", "rwlock", "unfair lock", "file lock", "thread", "queue", "one-time call", "kernel mutex", "kernel rwlock", "kernel lock"}

// String returns the kind in a word or two; it is empty for NoLock.
func (k LockKind) String() string {
	if int(k) >= len(lockNames) {
		return "unknown"
	}
	return lockNames[k]
}
