package live

import "slices"

// Kin finds the processes that others have started, in the way that this system
// answers. The zero Kin is ready; it remembers what it was refused.
type Kin struct {
	refused bool // the children of one process
	all     table
}

// Descendants returns the processes that were started by the given ones,
// directly or through others, in ascending order; not the given ones
// themselves. One whose parent has ended belongs to another process since, so
// that only who has seen it before knows of it: pass it as a root then. Where
// the system does not tell parents there are none.
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

// below asks for the children of one process after another, and says false where
// the system does not tell these.
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

// reach collects what is below the roots. The list is no snapshot, so a
// circle is possible where a pid is used anew.
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
