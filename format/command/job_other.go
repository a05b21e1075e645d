//go:build !linux

package command

import "stacksnap/task"

// stopBetween is for systems whose targets stand as long as we are stopped.
func stopBetween(*task.Gate) {}

// stopNow is there for no others, likewise.
func stopNow(*task.Gate) func() { return nil }
