//go:build !linux && !darwin

package signals

import "stacksnap/task"

// Job does nothing: on these systems the program never stops a process, so it may be
// stopped itself at any time.
type Job struct{}

// NewJob returns a job that leaves all signals to the system.
func NewJob(*task.Gate) *Job { return &Job{} }

// Stopper returns nil: Ctrl-Z is left to the system.
func (*Job) Stopper() func() { return nil }
