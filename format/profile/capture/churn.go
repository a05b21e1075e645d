package capture

import (
	"slices"

	"stacksnap/task"
)

const (
	maxRemapped = task.MaxWatch
	watchAllFor = 8    // snapshots in which every address is probed, at first and after a change at a new address
	forgetAfter = 1000 // snapshots without a change after which an address is no longer probed
)

// churn chooses the addresses to probe while threads are stopped: those at which files were
// mapped or unmapped before. So a process that maps no more files costs nothing: every address
// is probed only in the first few snapshots.
type churn struct {
	remapped []remapped // the last changed is the last
	allFor   int        // number of further snapshots in which all are probed
	list     []task.Addr
}

type remapped struct {
	at    task.Addr
	quiet int // snapshots since its file changed
}

// addresses returns what to probe in the next snapshot, at most [task.MaxWatch] addresses. It
// never includes the program itself, which stays mapped.
func (w *churn) addresses(l memoryMap, program string) []task.Addr {
	w.forget()
	w.list = w.list[:0]
	for _, r := range w.remapped {
		w.list = append(w.list, r.at)
	}
	if w.allFor == 0 {
		return w.list
	}
	w.allFor--
	for i, m := range l.maps {
		if m.Inode != 0 && l.paths[i] != program && len(w.list) < task.MaxWatch && !slices.Contains(w.list, l.code[i].Start) {
			w.list = append(w.list, l.code[i].Start)
		}
	}
	return w.list
}

// forget drops the addresses that have not changed for long.
func (w *churn) forget() {
	for i := range w.remapped {
		w.remapped[i].quiet++
	}
	w.remapped = slices.DeleteFunc(w.remapped, func(r remapped) bool { return r.quiet > forgetAfter })
}

// compare records the addresses at which two memory maps have different files, or at which only
// one has a file.
func (w *churn) compare(old, l memoryMap) {
	w.missing(l, old)
	w.missing(old, l)
}

// missing records the files of l that old does not have at the same place.
func (w *churn) missing(old, l memoryMap) {
	for i, m := range l.maps {
		if m.Inode == 0 || m.Inode == unknownFile {
			continue
		}
		if j := old.find(l.code[i].Start); j < 0 || old.maps[j] != m {
			w.note(l.code[i].Start)
		}
	}
}

// see records the addresses at which a stop found another file than the memory map has.
func (w *churn) see(l memoryMap, s *task.Snapshot) {
	for i := range s.Threads {
		if s.Threads[i].Same {
			continue
		}
		for j := range s.Threads[i].Probe.Mapped {
			if m := &s.Threads[i].Probe.Mapped[j]; !l.shows(m) {
				w.note(m.At)
			}
		}
	}
}

func (w *churn) note(a task.Addr) {
	i := slices.IndexFunc(w.remapped, func(r remapped) bool { return r.at == a })
	switch {
	case i >= 0:
		w.remapped = slices.Delete(w.remapped, i, i+1)
	case len(w.remapped) == maxRemapped:
		w.remapped = slices.Delete(w.remapped, 0, 1)
	default:
		w.allFor = watchAllFor
	}
	w.remapped = append(w.remapped, remapped{at: a})
}
