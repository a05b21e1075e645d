package live

import "stacksnap/task"

// lister returns how this system lists its processes.
func lister() (table, error) {
	if _, err := pids(); err == nil {
		return system{}, nil
	}
	_, err := list()
	return &listed{}, err
}

// system reads each process separately.
type system struct{}

func (system) pids() ([]int, error) { return pids() }

func (system) candidate(pid int) (task.Candidate, bool) { return candidate(pid) }

// listed is for a system that only provides the whole list.
type listed struct{ all map[int]task.Candidate }

func (l *listed) pids() ([]int, error) {
	all, err := list()
	l.all = make(map[int]task.Candidate, len(all))
	pids := make([]int, 0, len(all))
	for _, c := range all {
		l.all[c.PID] = c
		pids = append(pids, c.PID)
	}
	return pids, err
}

func (l *listed) candidate(pid int) (task.Candidate, bool) {
	c, ok := l.all[pid]
	return c, ok && c.Name != ""
}
