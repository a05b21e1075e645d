package capture

import (
	"slices"

	"stacksnap/task"
)

const (
	maxRemapped = task.MaxWatch
	watchAllFor = 8    // snapshots in which every place is watched, at first and when there is a new remapped one
	forgetAfter = 1000 // snapshots without a change
)

// churn chooses where to look while threads are stopped: at the places where files
// have come and gone before, so that a process whose files stay pays nothing.
// Only for a few snapshots every place is suspected.
type churn struct {
	remapped []remapped // the one that changed last is the last
	allFor   int        // for how many snapshots more
	list     []task.Addr
}

type remapped struct {
	at    task.Addr
	quiet int // snapshots since it changed
}

// addresses returns what to look at in the next snapshot: it ends early where
// there is more than can be watched. The program itself stays.
func (w *churn) addresses(l layout, program string) []task.Addr {
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

// forget drops the places that have been quiet.
func (w *churn) forget() {
	for i := range w.remapped {
		w.remapped[i].quiet++
	}
	w.remapped = slices.DeleteFunc(w.remapped, func(r remapped) bool { return r.quiet > forgetAfter })
}

// compare notes where a new layout shows other files than the last one, or
// none.
func (w *churn) compare(old, l layout) {
	w.missing(l, old)
	w.missing(old, l)
}

// missing notes the files of l that old does not have at the same place.
func (w *churn) missing(old, l layout) {
	for i, m := range l.maps {
		if m.Inode == 0 || m.Inode == unknownFile {
			continue
		}
		if j := old.find(l.code[i].Start); j < 0 || old.maps[j] != m {
			w.note(l.code[i].Start)
		}
	}
}

// see notes the places that showed something else while a thread stood.
func (w *churn) see(l layout, s *task.Snapshot) {
	for i := range s.Threads {
		if s.Threads[i].Same {
			continue
		}
		for j := range s.Threads[i].Sight.Mapped {
			if m := &s.Threads[i].Sight.Mapped[j]; !l.shows(m) {
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
