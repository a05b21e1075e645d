package hangreport

import "stacksnap/format/profile"

// Followed has the results of following a wait into other processes.
type Followed struct {
	// Chain begins with the thread of the hang. Each thread in it waits for the next, which
	// may be of another process.
	Chain     []profile.Waiter
	Deadlocks []profile.Deadlock // deadlocks across processes
	Profiles  []*profile.Profile // profiles of the other processes, in the order of the chain
	Missing   []profile.Missing
}
