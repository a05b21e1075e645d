package task

// End is one end of a pipe or of a pair of sockets, to which descriptors of
// processes lead.
type End struct {
	File   string // as the system names it: "pipe:[53343]", "socket:[53344]"; a named pipe by where it is
	Writes bool   // of a pipe: the end that is written to, else the one that is read
}

// Linked is a live [Process] whose system tells by what it is linked to others.
// Nothing is stopped for it.
type Linked interface {
	// OtherEnd returns the other end of what is at a descriptor of the target, of
	// which the target reads or writes; false when there is none, or that is not
	// known.
	OtherEnd(fd int, writes bool) (End, bool)
	// Child returns the child process that the target itself knows by the number n
	// or, with 0, its only one; false when it has no such child, or that has ended.
	Child(n int) (pid int, ok bool)
	// SharedOwner returns the thread of another process that the target itself knows
	// by the number n, and that process; false unless it is a live one and has the
	// target's memory at a mapped too, shared.
	SharedOwner(a Addr, n int) (ThreadID, int, bool)
	// LockedBy reports whether a process has a lock of the file at a descriptor of the
	// target.
	LockedBy(fd, pid int) bool
}

// Holders are the processes that have an end open.
type Holders struct {
	PIDs []int // in ascending order
	// Unseen: there are processes that may not be asked what they have open, or came
	// and went too fast for that.
	Unseen bool
}
