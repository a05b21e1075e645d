//go:build linux

package live

import (
	"time"

	"stacksnap/task"
	"stacksnap/task/procfs"
	"stacksnap/task/ptrace"
)

// Open attaches to a running process.
func Open(pid int) (task.Process, error) {
	p, err := ptrace.Open(pid)
	if err != nil {
		return nil, err // not p: a nil *Process is no nil Process
	}
	return p, nil
}

// Look opens a running process that will never be stopped. sealed says why its stacks may not be
// read; nil if they may be.
func Look(pid int) (p task.Process, sealed, err error) {
	looked, err := ptrace.Look(pid)
	if err != nil {
		return nil, nil, err
	}
	return looked, looked.Sealed(), nil
}

// KernelThreads returns the threads of the kernel; see [procfs.KernelThreads].
func KernelThreads() (info task.Info, threads []task.Thread, lacks string, err error) {
	return procfs.KernelThreads()
}

func list() ([]task.Candidate, error) { return procfs.List() }

func pids() ([]int, error) { return procfs.PIDs() }

// children returns false: on Linux a list of all processes costs no more.
func children(int) ([]int, bool) { return nil, false }

func candidate(pid int) (task.Candidate, bool) { return procfs.Candidate(pid) }

// Details returns facts by which processes of the same name differ.
func Details(pid int) task.Details { return procfs.Details(pid) }

// Owners finds the processes that have ends of pipes and sockets open, see [procfs.Owners].
func Owners(ends []task.Endpoint, until time.Time) map[task.Endpoint]task.Owners {
	return procfs.Owners(ends, until)
}

// awaitExec waits until exec is complete. The Go runtime has been seen to return while the
// program still had our memory (Linux 6.1 on an emulated arm64).
func awaitExec(pid int) { procfs.AwaitExec(pid) }
