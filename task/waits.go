package task

import "time"

// CallState is what a thread was doing when its system call was read.
type CallState uint8

// The values of CallState.
const (
	CallUnknown CallState = iota // the system does not report it
	OnProcessor                  // it runs or waits for a processor, in user space or in the kernel
	InCall                       // it waits in the system call that Syscall describes
	InFault                      // it waits in the kernel, but in no system call: for a page, for example
)

// Syscall is the system call that a thread is in.
type Syscall struct {
	State  CallState
	Number int // system call number of the target's architecture
	Args   [6]uint64
	SP, PC Addr // the thread's, where it entered the kernel
}

// WaitReader is a [Process] whose system reports which calls threads are in, and what these
// calls wait for. It stops nothing.
type WaitReader interface {
	// Syscall returns the call that a thread is in. Its error is ErrThreadGone, or that the
	// system refuses.
	Syscall(ThreadID) (Syscall, error)
	// WaitChannel returns the kernel function in which a thread waits; empty when the system
	// does not report it.
	WaitChannel(ThreadID) string
	// Watched returns the number of files that the epoll instance at descriptor fd watches, and
	// the lowest of the descriptors under which they were added and that are still open. n is 0
	// when fd is no such instance or the system does not report it.
	Watched(fd int) (n int, fds []int)
	// LocalThread returns the thread that has the number n in the target's own namespace: in a
	// container the numbers differ. It returns false when there is no such thread.
	LocalThread(n int) (ThreadID, bool)
}

// Endpoint is one end of a pipe or of a pair of sockets: the thing that a descriptor refers to. Many
// descriptors, in several processes, may refer to the same one.
type Endpoint struct {
	File   string // the system's name for it: "pipe:[53343]", "socket:[53344]"; for a named pipe, its location
	Writes bool   // for a pipe: true is the end that is written to, false the end that is read
}

// PeerFinder is a live [Process] whose system reports the pipes, sockets, locks and children by which
// it is linked to other processes. It stops nothing.
//
// A further kind of file that links processes, such as an eventfd, is added in OtherEnd
// (task/procfs/peers.go) and Owners (task/procfs/owners.go). Package across needs no change.
type PeerFinder interface {
	// OtherEnd returns the other end of the pipe or socket at a descriptor, which the target
	// reads or writes. It returns false when there is none or it is not known.
	OtherEnd(fd int, writes bool) (Endpoint, bool)
	// Child returns the child process that has the number n in the target's own namespace or, if
	// n is 0, the target's only child. It returns false when there is no such child or it has
	// ended.
	Child(n int) (pid int, ok bool)
	// SharedOwner returns a thread of another process, and that process, by the thread's number
	// n in the target's own namespace. It returns false unless the process is live and also maps
	// the target's memory at a, shared.
	SharedOwner(a Addr, n int) (ThreadID, int, bool)
	// LockHolder returns the process that holds the file lock for which a thread of the target
	// waits at descriptor fd. It returns false when that is not known.
	LockHolder(fd int) (pid int, ok bool)
	// LockedBy reports whether process pid holds a lock on the file at a descriptor of the
	// target.
	LockedBy(fd, pid int) bool
}

// Outsider is what is certain of a thread that does not belong to the target, by its number in
// the target's own namespace.
type Outsider struct {
	Ended bool // there is no such thread any more
	// Parent is the target's parent, if the thread already belonged to it when it forked the
	// target; 0: not certain.
	Parent     int
	ParentName string
}

// Owners are the processes that have an [Endpoint] open.
type Owners struct {
	PIDs []int // in ascending order
	// Unseen means that there are processes whose open files may not be read, or that came and
	// went too fast for that.
	Unseen bool
}

// Connection is a connection of a target to another socket on which the target may wait.
type Connection struct {
	ID     uint64 // number of the target's socket in its system
	Remote string // the other end's address: "127.0.0.1:8081", or the path of a Unix socket
	State  ConnectionState
	// Since is the time since the target last sent something or, if Unread, since something last
	// arrived; 0 if unknown.
	Since  time.Duration
	Unread uint64 // bytes that the target has not read
	// Other is the other end or, if NotAccepted, the listening socket. Its File is empty if it
	// is on another machine or unknown.
	Other Endpoint
}

// ConnectionState is what is known of a connection on which nothing moves.
type ConnectionState uint8

// The states of connections on which nothing moves, in the order of how much they explain: a
// silent connection may just be idle.
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

// Stalled describes the connections of a process on which nothing moves. It takes the connection
// with the most telling state, of these the longest stalled one, and counts those that have the
// same other end and state.
type Stalled struct {
	State  ConnectionState
	Count  int           // number of connections
	Remote string        // address of the other end
	Since  time.Duration // the longest time since the process last sent; if Unread, since something arrived; 0 if unknown
	Unread uint64        // total bytes that were not read
	PID    int           // process at the other end; 0 if unknown
	Name   string        // its name
	Others int           // number of further connections on which nothing moves
}
