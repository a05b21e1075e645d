package task

import "time"

// ThreadWatch looks at one thread again and again, without stopping anything
// and at little cost; where the system tells nothing of a thread that has not
// been stopped, with stops that are as short and rare.
type ThreadWatch interface {
	// Glance sees what the thread is doing. Its error is ErrThreadGone, or that the
	// system refuses.
	Glance() (Glance, error)
	// Counters reads what the thread has done so far.
	Counters() (Counters, error)
	Close() error
}

// ThreadWatcher is a [Process] whose threads can be watched.
type ThreadWatcher interface {
	WatchThread(ThreadID) (ThreadWatch, error)
}

// Glance is what one look at a running process tells of a thread.
type Glance struct {
	State State
	// Call is the system call that it is in, where the system tells; else
	// Registers are those of a thread that waits, as it entered the kernel.
	Call      Syscall
	Registers Registers
	// Later: the thread waits, and where will be known only by a later look.
	Later bool
}

// Counters only grow.
type Counters struct {
	CPU    time.Duration // used by the thread
	Queued time.Duration // spent waiting for a processor; 0 where the system does not tell
	// Sleeps counts how often the thread has begun to wait in the kernel: not when
	// it was taken off a processor for another. Known where HasSleeps.
	Sleeps    uint64
	HasSleeps bool
}
