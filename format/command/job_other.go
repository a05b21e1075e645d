//go:build !linux && !darwin

package command

import "stacksnap/task"

// job is for systems with job control on which processes can be stopped.
type job struct{}

func newJob(*task.Gate) *job { return &job{} }

// stopper returns what stops this program until it is continued: nothing does.
func (*job) stopper() func() { return nil }
