//go:build linux

package procfs

import (
	"fmt"
	"strconv"
	"time"

	"stacksnap/task"
)

// kernelThread is PF_KTHREAD (include/linux/sched.h).
const kernelThread = 0x00200000

// List returns the processes that a name may refer to: all except kernel threads, zombies and
// processes that have ended meanwhile. Path is empty for a process that we may not read.
func List() ([]task.Candidate, error) {
	pids, err := PIDs()
	if err != nil {
		return nil, err
	}
	var all []task.Candidate
	for _, pid := range pids {
		if c, ok := Candidate(pid); ok {
			all = append(all, c)
		}
	}
	return all, nil
}

// PIDs lists the pids of all processes, including kernel threads and zombies.
func PIDs() ([]int, error) {
	proc, err := OpenDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: open /proc: %w", err)
	}
	defer proc.Close()
	return proc.Numbers(), nil
}

// Candidate describes a process. It returns false if a name cannot refer to it.
func Candidate(pid int) (task.Candidate, bool) {
	dir, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return task.Candidate{}, false
	}
	defer dir.Close()
	s, ok := dir.stat()
	if !ok || s.flags&kernelThread != 0 || threadState(s.state) == task.Ended {
		return task.Candidate{}, false
	}
	return task.Candidate{
		PID: pid, Name: fullName(string(s.name), dir), Path: dir.exe(),
		ParentPID: s.parent, Forked: s.flags&forkedOnly != 0,
	}, true
}

// Details returns facts by which processes of the same name differ. What cannot be read is
// unknown.
func Details(pid int) task.Details {
	d := task.Details{User: -1, CPU: -1}
	dir, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return d
	}
	defer dir.Close()
	if s, ok := dir.stat(); ok {
		d.CPU, d.Start = s.user+s.system, startTime(s.start)
		d.Stuck = threadState(s.state) == task.Uninterruptible
	}
	if status, err := dir.read("status"); err == nil {
		d.User = realUser(status)
	}
	d.Command = dir.command()
	return d
}

// startTime converts a time since boot, using the present clock.
func startTime(sinceBoot time.Duration) time.Time {
	boot := bootTime()
	if boot.IsZero() {
		return boot
	}
	return boot.Add(sinceBoot)
}
