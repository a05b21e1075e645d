//go:build !linux && !darwin

package command

import "stacksnap/task"

// job does nothing: on these systems no process is attached to, so that nothing stays
// stopped while this program is.
type job struct{}

func newJob(*task.Gate) *job { return &job{} }

// stopper returns nil: Ctrl-Z is left to the system.
func (*job) stopper() func() { return nil }
