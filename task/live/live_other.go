//go:build !darwin && !linux

package live

import (
	"time"

	"stacksnap/task"
)

// Open says that this system's processes cannot be read.
func Open(int) (task.Process, error) { return nil, task.Unsupported() }

func list() ([]task.Candidate, error) { return nil, task.Unsupported() }

func pids() ([]int, error) { return nil, task.Unsupported() }

func children(int) ([]int, bool) { return nil, false }

func candidate(int) (task.Candidate, bool) { return task.Candidate{}, false }

// Details knows nothing here.
func Details(int) task.Details { return task.Details{User: -1, CPU: -1} }

// Owners knows of none: this system does not tell who has what open.
func Owners([]task.Endpoint, time.Time) map[task.Endpoint]task.Owners { return nil }

// awaitExec has nothing to wait for: the program is in place.
func awaitExec(int) {}
