//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"strconv"

	"stacksnap/task"
)

// List returns the processes that could be meant by a name: all but kernel
// threads, zombies and what has ended meanwhile. Path is empty for a process
// that we may not read.
func List() ([]task.Candidate, error) {
	proc, err := openProc("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: open /proc: %w", err)
	}
	defer proc.close()
	var all []task.Candidate
	for _, pid := range proc.numbers() {
		if c, ok := candidate(proc, pid); ok {
			all = append(all, c)
		}
	}
	return all, nil
}

func candidate(proc procDir, pid int) (task.Candidate, bool) {
	dir, err := openDirAt(proc.fd, strconv.Itoa(pid))
	if err != nil {
		return task.Candidate{}, false
	}
	defer dir.close()
	s, ok := dir.stat()
	if !ok || s.flags&kernelThread != 0 || threadState(s.state) == task.Ended {
		return task.Candidate{}, false
	}
	return task.Candidate{PID: pid, Name: fullName(string(s.name), dir), Path: dir.exe()}, true
}
