package mach

import (
	"fmt"

	"stacksnap/task"
)

// List returns the running processes, to find one by its name. Those about
// which the system tells nothing are left out.
func List() ([]task.Candidate, error) {
	k, err := systemKernel()
	if err != nil {
		return nil, err
	}
	return list(k)
}

func list(k kernel) ([]task.Candidate, error) {
	pids, e := listPIDs(k)
	if e == ok && len(pids) > 0 {
		return candidates(k, pids), nil
	}
	all, allErr := k.processes()
	if len(all) == 0 {
		return nil, fmt.Errorf("this system does not list its processes, so a pid must be given (proc_listallpids: %s; sysctl kern.proc.all: %s)",
			listAnswer(e), listAnswer(allErr))
	}
	var out []task.Candidate
	for _, c := range all {
		if c = candidate(k, c.PID, c.Name); c.Name != "" {
			out = append(out, c)
		}
	}
	return out, nil
}

func listAnswer(e Errno) string {
	if e == ok {
		return "none"
	}
	return e.Error()
}

// PIDs lists the numbers of all processes. Its error means that this system
// gives no such list; [List] may still.
func PIDs() ([]int, error) {
	k, err := systemKernel()
	if err != nil {
		return nil, err
	}
	pids, e := listPIDs(k)
	if e != ok || len(pids) == 0 {
		return nil, fmt.Errorf("proc_listallpids: %s", listAnswer(e))
	}
	return pids, nil
}

// Candidate describes a process, and says false when the system tells nothing
// about it.
func Candidate(pid int) (task.Candidate, bool) {
	k, err := systemKernel()
	if err != nil || pid <= 0 {
		return task.Candidate{}, false
	}
	c := candidate(k, pid, "")
	return c, c.Name != ""
}

func candidates(k kernel, pids []int) []task.Candidate {
	var out []task.Candidate
	for _, pid := range pids {
		if pid <= 0 {
			continue
		}
		if c := candidate(k, pid, ""); c.Name != "" {
			out = append(out, c)
		}
	}
	return out
}

// candidate tells what is known of a process, nothing of one that has ended;
// known is a name for want of a better.
func candidate(k kernel, pid int, known string) task.Candidate {
	c := task.Candidate{PID: pid, Name: known}
	if file, e := k.path(pid); e == ok {
		c.Path = file
	}
	b, e := k.bsdInfo(pid)
	if e != ok {
		b = bsdInfo{name: known, flags: flagExec}
	}
	if b.status == statusZombie {
		return task.Candidate{}
	}
	c.ParentPID, c.Forked = b.parent, b.flags&flagExec == 0
	c.Name = name(c.Path, b)
	if k.isDarling() {
		return inDarling(c, b)
	}
	return c
}
