package task

import "time"

// CallState is what a thread was doing when the kernel was asked for its system call.
type CallState uint8

// The states of a call.
const (
	CallUnknown CallState = iota // the system does not tell
	OnProcessor                  // it runs or waits for a processor, in user space or in the kernel
	InCall                       // it waits in the system call that Syscall describes
	InFault                      // it waits in the kernel, but in no system call: for a page, say
)

// Syscall is the system call that a thread is in.
type Syscall struct {
	State  CallState
	Number int // as the kernel of the target's architecture counts
	Args   [6]uint64
	SP, PC Addr // of the thread, where it entered the kernel
}

// WaitReader is a [Process] whose system tells in which calls threads are, and what these calls
// wait for. It stops nothing.
type WaitReader interface {
	// Syscall asks what call a thread is in. Its error is ErrThreadGone, or that
	// the system refuses.
	Syscall(ThreadID) (Syscall, error)
	// WaitChannel returns the kernel's function in which a thread waits, empty when the system
	// does not tell.
	WaitChannel(ThreadID) string
	// Watched returns the number of files that the epoll instance at descriptor fd watches, and
	// the lowest of the descriptors by which they were added and are still open. n is 0 when fd
	// is no such instance, or the system does not tell.
	Watched(fd int) (n int, fds []int)
	// LocalThread returns the thread that the target itself knows by the number n:
	// in a container the numbers differ. False when it has no such thread.
	LocalThread(n int) (ThreadID, bool)
}

// Endpoint is one end of a pipe or of a pair of sockets, to which descriptors of
// processes lead.
type Endpoint struct {
	File   string // as the system names it: "pipe:[53343]", "socket:[53344]"; a named pipe by where it is
	Writes bool   // of a pipe: the end that is written to, else the one that is read
}

// PeerFinder is a live [Process] whose system tells by which pipes, sockets, locks and children it
// is linked to other processes. It stops nothing.
type PeerFinder interface {
	// OtherEnd returns the other end of the pipe or socket at a descriptor, which the target
	// reads or writes; false when there is none, or it is not known.
	OtherEnd(fd int, writes bool) (Endpoint, bool)
	// Child returns the child process that the target itself knows by the number n
	// or, with 0, its only one; false when it has no such child, or that has ended.
	Child(n int) (pid int, ok bool)
	// SharedOwner returns the thread of another process that the target itself knows
	// by the number n, and that process; false unless it is a live one and has the
	// target's memory at a mapped too, shared.
	SharedOwner(a Addr, n int) (ThreadID, int, bool)
	// LockHolder returns the process that holds the file lock for which a thread
	// of the target waits at descriptor fd; false when that is not known.
	LockHolder(fd int) (pid int, ok bool)
	// LockedBy reports whether a process has a lock of the file at a descriptor of the
	// target.
	LockedBy(fd, pid int) bool
}

// Outsider is what is certain of a thread that is not one of the target, by the number that the
// target knows it by.
type Outsider struct {
	Ended bool // there is no such thread any more
	// Parent is the target's parent, to which the thread belonged already when the target was
	// forked; 0: not certain.
	Parent     int
	ParentName string
}

// Owners are the processes that have an end open.
type Owners struct {
	PIDs []int // in ascending order
	// Unseen: there are processes that may not be asked what they have open, or came
	// and went too fast for that.
	Unseen bool
}

// Connection is a connection of a target to another socket, for which the target may wait.
type Connection struct {
	ID     uint64 // of the target's socket, among those of its system
	Remote string // the other end's address: "127.0.0.1:8081", or the path of a Unix socket
	State  ConnectionState
	// Since is the time since the target last sent something or, for Unread, since something last
	// came; 0 if unknown.
	Since  time.Duration
	Unread uint64 // bytes that were not read
	// Other is the other end or, for NotAccepted, the socket that listens. Its File is empty if
	// that is on another machine, or unknown.
	Other Endpoint
}

// ConnectionState is what is known of a connection on which nothing moves.
type ConnectionState uint8

// The states of connections on which nothing moves, in the order of how much they tell of why nothing
// happens: a silent one may be idle.
const (
	Moving      ConnectionState = iota // nothing is known
	Connecting                         // the other machine has not answered the request to connect
	NotAccepted                        // the program at the other end has not accepted it
	NotTaken                           // the program at the other end has not read what the target sent
	Silent                             // nothing has come since the target last sent
	Unread                             // the target has not read what came
	numConnectionStates
)

var connectionStateNames = [numConnectionStates]string{"", "connecting", "not accepted", "not taken", "silent", "unread"}

// String returns the state in a word or two; it is empty for Moving.
func (s ConnectionState) String() string {
	if int(s) >= len(connectionStateNames) {
		return "unknown"
	}
	return connectionStateNames[s]
}

// Stalled describes the connections of a process on which nothing moves, by those of them that have
// the same other end and state as the longest of the most telling state.
type Stalled struct {
	State  ConnectionState
	Count  int           // number of connections
	Remote string        // address of the other end
	Since  time.Duration // the longest time since the process last sent; for Unread, since something came; 0 if unknown
	Unread uint64        // bytes that were not read, in all
	PID    int           // process at the other end; 0 if unknown
	Name   string        // its name
	Others int           // number of further connections on which nothing moves
}
