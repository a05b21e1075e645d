//go:build !darwin && !linux

package live

import (
	"time"

	"stacksnap/task"
)

// Open returns an error: this system's processes cannot be read.
func Open(int) (task.Process, error) { return nil, task.Unsupported() }

func list() ([]task.Candidate, error) { return nil, task.Unsupported() }

func pids() ([]int, error) { return nil, task.Unsupported() }

func children(int) ([]int, bool) { return nil, false }

func candidate(int) (task.Candidate, bool) { return task.Candidate{}, false }

// Details returns only unknown facts.
func Details(int) task.Details { return task.Details{User: -1, CPU: -1} }

// Owners returns nil: this system does not report which process has what open.
func Owners([]task.Endpoint, time.Time) map[task.Endpoint]task.Owners { return nil }

// awaitExec returns at once: on this system the program is already in place.
func awaitExec(int) {}
