package hangreport

import "stacksnap/format/profile"

// Followed is what the thread waited for in other processes.
type Followed struct {
	// Chain are the thread and those that it waits for, through one or several processes,
	// as long as these wait for something themselves.
	Chain     []profile.Waiter
	Deadlocks []profile.Deadlock // of several processes
	Profiles  []*profile.Profile // of the others, in the order in which they were met
	Missing   []profile.Missing
}
