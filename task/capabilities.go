package task

import "time"

// Capabilities are what a [Process] can do besides, each nil where it cannot. They stay
// the same as long as the process is open.
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

	// OpenFile says what a descriptor of the target is: a path, or the kind of thing
	// with what is known of it, such as "tcp socket 127.0.0.1:80"; empty when the
	// target has no such descriptor, or the system refuses. Nothing is stopped for it.
	OpenFile func(fd int) string
	// Connections returns the connections of the target on which nothing moves; none if the system
	// does not tell them by then. Nothing is stopped for it.
	Connections func(until time.Time) []Connection
	// WokenOtherwise reports whether something else than threads of the target may wake one that
	// waits for a futex in its memory, as far as the system tells: handlers of signals, io_uring.
	WokenOtherwise func() bool
	// Outsider says what is certain of the thread that the target's own memory at an address
	// names, and that the target does not have.
	Outsider func(n int, at Addr) Outsider
	// Stays reports whether a thread that Capture left where it waits, see [Thread].Skipped, has not
	// run since.
	Stays func(ThreadID) bool
	// Lifetime returns what was counted of a thread since it began; false where that is not
	// known. Nothing is stopped for it.
	Lifetime func(ThreadID) (Lifetime, bool)
	// NoteBlocked notes which of some threads are blocked, before a stop. The function that it returns
	// says for how long, at least, they had not run then. It is given how often we have stopped each
	// thread since, and leaves out threads that anything else has woken, and those about which nothing is known.
	NoteBlocked func([]ThreadID) func(stops map[ThreadID]int) map[ThreadID]time.Duration
	// ThreadHandle returns a thread's handle: on Darwin the address of its
	// thread-specific data. False where it has none.
	ThreadHandle func(ThreadID) (Addr, bool)
	// Back gives a saved process the memory to ask for what it does not hold.
	Back func(Memory)
}
