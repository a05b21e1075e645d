package task

// Leaver is a live [Process] of which a Suspend may leave every thread where it is.
type Leaver interface {
	// LeaveAll has each Suspend from now on stop nothing. Threads that wait are captured
	// where they do, see [Thread].Spared, if they have not run meanwhile; of others
	// Capture tells that they could not be.
	LeaveAll()
}

// LeaveAll is p's, and reports whether it is a [Leaver].
func LeaveAll(p Process) bool {
	l, ok := p.(Leaver)
	if ok {
		l.LeaveAll()
	}
	return ok
}
