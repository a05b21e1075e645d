package runtimes

import "stacksnap/task"

// Lock is a lock that threads hold while they run managed functions, such as CPython's GIL, as it
// was at one moment.
type Lock struct {
	Addr task.Addr
	// From and To bound the words for which threads wait in futexes that wait for the lock.
	From, To task.Addr
	// Owner is the thread that holds it, by the number that it has for itself; 0: none, or not known.
	Owner task.ThreadID
	// Switches counts how often the lock went from one thread to another.
	Switches uint64
}
