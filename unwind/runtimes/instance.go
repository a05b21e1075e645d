package runtimes

import "stacksnap/task"

// Instance is a runtime in a process: one for each image that contains one.
type Instance interface {
	// Name is that of the runtime, with its version: "CPython 3.12.1".
	Name() string
	// Chains returns what to copy of each thread while it is stopped, to read its frames from
	// then. The threads are by the numbers that they themselves have, which differ from
	// the system's in a container. ByHandle finds a thread by its pthread_t.
	Chains(m task.Memory, byHandle func(task.Addr) (task.ThreadID, bool)) (map[task.ThreadID]task.Chain, error)
	// Frames appends the frames of a copied chain, the innermost first. What does not change
	// while a function runs is read from m. The frames before an error are true.
	Frames(dst []task.ManagedFrame, id task.ThreadID, chain []task.Object, m task.Memory) ([]task.ManagedFrame, error)
	// ThreadNames returns the names that the runtime itself has for threads of the last Chains.
	ThreadNames(m task.Memory) map[task.ThreadID]string
	// Locks returns the locks that threads hold while they run managed functions.
	Locks(m task.Memory, byHandle func(task.Addr) (task.ThreadID, bool)) []Lock
	// IsLoop reports whether a native function of the instance's image runs managed frames.
	IsLoop(symbol string) bool
}

// Scheduler is the instance of a runtime that has threads run goroutines.
type Scheduler interface {
	Instance
	// Goroutine returns the one that a thread ran, by its copied chain; false if it ran none, or if that
	// is not certain.
	Goroutine(id task.ThreadID, chain []task.Object, m task.Memory) (task.Goroutine, bool)
}
