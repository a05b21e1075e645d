package task

import "time"

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

// Details are what a person tells processes of one name apart by, beside
// [Candidate].
type Details struct {
	User    int           // its real user id; −1 is unknown
	CPU     time.Duration // that it has used; −1 is unknown
	Start   time.Time     // zero is unknown
	Stuck   bool          // its first thread waits in a way that no signal ends, for a disk mostly
	Command Command
}
