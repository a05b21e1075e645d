package profile

import "stacksnap/task"

// Wait is what a thread waits for, as far as that can be told.
type Wait struct {
	Call   string // the system call, without decoration: "futex", "read", "psynch_mutexwait"
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
}

// LockKind is what sort of thing a thread waits to get.
type LockKind uint8

// The kinds of locks.
const (
	NoLock     LockKind = iota // it waits for something else
	Mutex                      // a pthread mutex
	ReadWrite                  // a pthread read-write lock
	UnfairLock                 // an os_unfair_lock, or what is built on one
	FileLock                   // of flock or fcntl
	ThreadEnd                  // no lock: pthread_join
)

var lockNames = [...]string{"", "mutex", "rwlock", "unfair lock", "file lock", "thread"}

// String returns the kind in a word or two; it is empty for NoLock.
func (k LockKind) String() string {
	if int(k) >= len(lockNames) {
		return "unknown"
	}
	return lockNames[k]
}
