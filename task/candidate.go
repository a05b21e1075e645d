package task

// Candidate is a running process that may be meant by a name.
type Candidate struct {
	PID  int
	Name string // as the system lists it
	Path string // of its executable; empty when the system does not tell

	ParentPID int // 0 when the system does not tell
	// Forked: it has not called exec, so that name and path are those of the
	// process it was forked from, and perhaps about to change.
	Forked bool
}
