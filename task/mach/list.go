package mach

import (
	"fmt"
	"slices"

	"stacksnap/task"
)

// List returns the running processes, among which one is found by its name. It omits processes
// that the system reports nothing about.
func List() ([]task.Candidate, error) {
	k, err := systemKernel()
	if err != nil {
		return nil, err
	}
	return list(k)
}

func list(k kernel) ([]task.Candidate, error) {
	all, err := everyone(k)
	if err != nil {
		return nil, fmt.Errorf("%w, so a pid must be given", err)
	}
	var out []task.Candidate
	for _, c := range all {
		if c.PID <= 0 {
			continue
		}
		if c = candidate(k, c.PID, c.Name); c.Name != "" {
			out = append(out, c)
		}
	}
	return out, nil
}

// everyone lists the processes by proc_listallpids, which returns only pids, or else by
// KERN_PROC_ALL.
func everyone(k kernel) ([]task.Candidate, error) {
	pids, e := k.pids()
	if e == ok && len(pids) > 0 {
		all := make([]task.Candidate, len(pids))
		for i, pid := range pids {
			all[i].PID = pid
		}
		return all, nil
	}
	all, allErr := processes(k)
	if len(all) == 0 {
		return nil, fmt.Errorf("this system does not list its processes (proc_listallpids: %s; sysctl kern.proc.all: %s)",
			listAnswer(e), listAnswer(allErr))
	}
	return all, nil
}

// maxListings bounds how often KERN_PROC_ALL is read for one list.
const maxListings = 8

// processes reads KERN_PROC_ALL until a result has no new process, because one result may lack
// some.
func processes(k kernel) (all []task.Candidate, e Errno) {
	known := map[int]bool{}
	for range maxListings {
		var answer []task.Candidate
		if answer, e = k.processes(); e != ok {
			break
		}
		before := len(all)
		for _, c := range answer {
			if !known[c.PID] {
				known[c.PID] = true
				all = append(all, c)
			}
		}
		if len(all) == before {
			break
		}
	}
	return all, e
}

func listAnswer(e Errno) string {
	if e == ok {
		return "none"
	}
	return e.Error()
}

// PIDs lists the numbers of all processes.
func PIDs() ([]int, error) {
	k, err := systemKernel()
	if err != nil {
		return nil, err
	}
	return listPIDs(k)
}

func listPIDs(k kernel) ([]int, error) {
	all, err := everyone(k)
	var pids []int
	for _, c := range all {
		pids = append(pids, c.PID)
	}
	return pids, err
}

// Children lists the child processes of a process that have not ended; false if the system does
// not report them.
func Children(pid int) ([]int, bool) {
	k, err := systemKernel()
	if err != nil {
		return nil, false
	}
	return children(k, pid)
}

// children omits zombies, which have no threads to capture.
func children(k kernel, pid int) ([]int, bool) {
	all, e := k.children(pid)
	if e != ok {
		return nil, false
	}
	return slices.DeleteFunc(all, func(child int) bool {
		b, e := k.bsdInfo(child)
		return child <= 0 || e == ok && b.status == statusZombie
	}), true
}

// Candidate describes a process. It returns false when the system reports nothing about it.
func Candidate(pid int) (task.Candidate, bool) {
	k, err := systemKernel()
	if err != nil || pid <= 0 {
		return task.Candidate{}, false
	}
	c := candidate(k, pid, "")
	return c, c.Name != ""
}

// candidate describes a process, and returns the zero Candidate if it has ended. known is the
// name to use if there is no better one.
func candidate(k kernel, pid int, known string) task.Candidate {
	c := task.Candidate{PID: pid, Name: known}
	if file, e := k.path(pid); e == ok {
		c.Path = file
	}
	b, e := k.bsdInfo(pid)
	if e == noProcess {
		return task.Candidate{}
	}
	if e != ok {
		b = bsdInfo{name: known, flags: flagExec}
	}
	if b.status == statusZombie {
		return task.Candidate{}
	}
	c.ParentPID, c.Forked = b.parent, b.flags&flagExec == 0
	c.Name = name(c.Path, b)
	return c
}

// Details returns facts by which processes of the same name differ. What cannot be read is
// unknown.
func Details(pid int) task.Details {
	k, err := systemKernel()
	if err != nil || pid <= 0 {
		return task.Details{User: -1, CPU: -1}
	}
	return details(k, pid)
}

func details(k kernel, pid int) task.Details {
	d := task.Details{User: -1, CPU: -1}
	if b, e := k.bsdInfo(pid); e == ok {
		d.User, d.Start = b.uid, b.start
	}
	if used, e := k.cpuTime(pid); e == ok && used >= 0 {
		d.CPU = used
	}
	if args, e := k.arguments(pid); e == ok {
		d.Command = command(args)
	}
	return d
}
