package live

import "slices"

// Descendants returns the processes that were started by the given ones,
// directly or through others, in ascending order; not the given ones
// themselves. One whose parent has ended belongs to another process since, so
// that only who has seen it before knows of it: pass it as a root then. Where
// the system does not tell parents there are none.
func Descendants(roots ...int) ([]int, error) {
	list, err := lister()
	if err != nil {
		return nil, err
	}
	return descendants(list, roots)
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
