package task

import "time"

// Capabilities are the further things that a [Process] can do. A field is nil where the process
// cannot. They do not change while the process is open.
type Capabilities struct {
	Stopper  ThreadStopper
	Partial  bool // Suspend heeds [StopOptions], and [Limits].NoStop
	Activity ActivityReader
	Pacer    Pacer
	Running  RunningCopier
	Maps     MapReader
	Loader   LoaderReader
	Waits    WaitReader
	Peers    PeerFinder

	// OpenFile describes a descriptor of the target: a path, or the kind of file with what is
	// known of it, such as "tcp socket 127.0.0.1:80". It returns "" when the target has no such
	// descriptor or the system refuses. It stops nothing.
	OpenFile func(fd int) string
	// Connections returns the target's connections on which nothing moves; none if the system
	// has not reported them by until. It stops nothing.
	Connections func(until time.Time) []Connection
	// WokenOtherwise reports whether something other than the target's threads may wake a thread
	// that waits for a futex in the target's memory, as far as the system reports: a signal
	// handler, io_uring.
	WokenOtherwise func() bool
	// Outsider returns what is certain of a thread that the target does not have, but that its
	// memory at an address names by the number n.
	Outsider func(n int, at Addr) Outsider
	// Stays reports whether a thread that Capture left where it waits, see [Thread].Skipped, has not
	// run since.
	Stays func(ThreadID) bool
	// Lifetime returns what was counted of a thread since it began; false where that is not
	// known. It stops nothing.
	Lifetime func(ThreadID) (Lifetime, bool)
	// NoteBlocked notes, before a stop, which of the given threads are blocked. The function
	// that it returns reports how long, at least, each had not run at that time. Its argument is
	// how often we have stopped each thread since. It omits threads that anything else has woken
	// and those that nothing is known about.
	NoteBlocked func([]ThreadID) func(stops map[ThreadID]int) map[ThreadID]time.Duration
	// ThreadHandle returns a thread's handle: on Darwin the address of its
	// thread-specific data. False where it has none.
	ThreadHandle func(ThreadID) (Addr, bool)
	// Back gives a saved process a memory to read the addresses from that it does not have
	// itself.
	Back func(Memory)
}
