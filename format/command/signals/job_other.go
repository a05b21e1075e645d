//go:build !linux && !darwin

package signals

import "stacksnap/task"

// Job does nothing: on these systems no process is attached to, so that nothing stays
// stopped while this program is.
type Job struct{}

// NewJob returns a job that leaves all signals to the system.
func NewJob(*task.Gate) *Job { return &Job{} }

// Stopper returns nil: Ctrl-Z is left to the system.
func (*Job) Stopper() func() { return nil }
