package live

import "slices"

// Kin finds the descendants of processes, by what this system offers. The zero Kin is ready to
// use. It remembers what the system has refused.
type Kin struct {
	refused bool // listing the children of one process
	all     table
}

// Descendants returns the processes that the given ones have started, directly or through
// others, in ascending order, without the given ones themselves. A process whose parent has
// ended has another parent since, so it is found only by a caller who has seen it before and
// passes it as a root. If the system does not report parents, there are none.
func (k *Kin) Descendants(roots ...int) ([]int, error) {
	if !k.refused {
		if found, ok := below(children, roots); ok {
			return found, nil
		}
		k.refused = true
	}
	if k.all == nil {
		all, err := lister()
		if err != nil {
			return nil, err
		}
		k.all = all
	}
	return descendants(k.all, roots)
}

// below finds descendants by listing the children of one process after another. It returns false
// if the system does not report them.
func below(children func(int) ([]int, bool), roots []int) ([]int, bool) {
	all := map[int][]int{}
	for next := slices.Clone(roots); len(next) > 0; next = next[1:] {
		pid := next[0]
		if _, asked := all[pid]; asked {
			continue
		}
		found, ok := children(pid)
		if !ok {
			return nil, false
		}
		all[pid] = found
		next = append(next, found...)
	}
	return reach(all, roots), true
}

func descendants(list table, roots []int) ([]int, error) {
	all, err := list.pids()
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, pid := range all {
		if c, ok := list.candidate(pid); ok && c.ParentPID != pid {
			children[c.ParentPID] = append(children[c.ParentPID], pid)
		}
	}
	return reach(children, roots), nil
}

// reach returns all pids below the roots. The list is not a snapshot, so it may have a cycle
// where a pid was reused.
func reach(children map[int][]int, roots []int) []int {
	met := map[int]bool{}
	for _, pid := range roots {
		met[pid] = true
	}
	var found []int
	for next := slices.Clone(roots); len(next) > 0; next = next[1:] {
		for _, pid := range children[next[0]] {
			if !met[pid] {
				met[pid] = true
				found = append(found, pid)
				next = append(next, pid)
			}
		}
	}
	slices.Sort(found)
	return found
}
