package live

import (
	"time"

	"stacksnap/task"
	"stacksnap/task/mach"
	"stacksnap/task/stackshot"
)

// Open attaches to a running process.
func Open(pid int) (task.Process, error) {
	p, err := mach.Open(pid)
	if err != nil {
		return nil, err // not p: a nil *Process is no nil Process
	}
	return p, nil
}

func list() ([]task.Candidate, error) { return mach.List() }

func pids() ([]int, error) { return mach.PIDs() }

func children(pid int) ([]int, bool) { return mach.Children(pid) }

func candidate(pid int) (task.Candidate, bool) { return mach.Candidate(pid) }

// Details returns facts by which processes of the same name differ.
func Details(pid int) task.Details { return mach.Details(pid) }

// Owners returns nil: this system does not report which process has what open.
func Owners([]task.Endpoint, time.Time) map[task.Endpoint]task.Owners { return nil }

// awaitExec returns at once: on this system the program is already in place.
func awaitExec(int) {}

// Stackshots opens a source of the kernel's stackshots of a process, of [stackshot.OfKernel], or
// of [stackshot.OfAll]. Its error wraps [stackshot.ErrNoSource] if there is none.
func Stackshots(pid int) (stackshot.Source, error) {
	s, err := mach.OpenStackshots(pid)
	if err != nil {
		return nil, err // not s: a nil *Stackshots is no nil Source
	}
	return s, nil
}
