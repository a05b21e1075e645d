package task

// Candidate is a running process that may be meant by a name.
type Candidate struct {
	PID  int
	Name string // as the system lists it
	Path string // of its executable; empty when the system does not tell
}
