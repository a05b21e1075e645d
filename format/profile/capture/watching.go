package capture

import (
	"slices"

	"stacksnap/task"
)

const (
	maxRestless = task.MaxWatch
	waryFor     = 8    // snapshots in which every place is watched, at first and when there is a new restless one
	calmAfter   = 1000 // snapshots without a change
)

// watching chooses where to look while threads stand: at the places where files
// have come and gone before, so that a process whose files stay pays nothing.
// Only for a few snapshots every place is suspected.
type watching struct {
	restless []restless // the one that changed last is the last
	wary     int        // for how many snapshots more
	list     []task.Addr
}

type restless struct {
	at    task.Addr
	quiet int // snapshots since it changed
}

// addresses returns what to look at in the next snapshot: it ends early where
// there is more than can be watched. The program itself stays.
func (w *watching) addresses(l layout, program string) []task.Addr {
	w.calm()
	w.list = w.list[:0]
	for _, r := range w.restless {
		w.list = append(w.list, r.at)
	}
	if w.wary == 0 {
		return w.list
	}
	w.wary--
	for i, m := range l.maps {
		if m.Inode != 0 && l.paths[i] != program && len(w.list) < task.MaxWatch && !slices.Contains(w.list, l.code[i].Start) {
			w.list = append(w.list, l.code[i].Start)
		}
	}
	return w.list
}

// calm forgets the places that have been quiet.
func (w *watching) calm() {
	for i := range w.restless {
		w.restless[i].quiet++
	}
	w.restless = slices.DeleteFunc(w.restless, func(r restless) bool { return r.quiet > calmAfter })
}

// compare notes where a new layout shows other files than the last one, or
// none.
func (w *watching) compare(old, l layout) {
	w.missing(l, old)
	w.missing(old, l)
}

// missing notes the files of l that old does not have at the same place.
func (w *watching) missing(old, l layout) {
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
func (w *watching) see(l layout, s *task.Snapshot) {
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

func (w *watching) note(a task.Addr) {
	i := slices.IndexFunc(w.restless, func(r restless) bool { return r.at == a })
	switch {
	case i >= 0:
		w.restless = slices.Delete(w.restless, i, i+1)
	case len(w.restless) == maxRestless:
		w.restless = slices.Delete(w.restless, 0, 1)
	default:
		w.wary = waryFor
	}
	w.restless = append(w.restless, restless{at: a})
}
