package capture

import (
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// verdict is what a look at a walked stack tells of the images.
type verdict uint8

const (
	asKnown       verdict = iota
	generatedCode         // a frame is in code of no file, which was not there when the layout was read
	exchanged             // a frame is where another file is mapped by now, or none was
)

// check reports whether what a thread was found in is what was there when it was
// captured. What was seen while the thread stood is certain. Of other places,
// what is mapped now is compared with what was when a layout was last read before
// the stop: where both are the same, it was the same in between, because where
// files come and go is watched, from the first time on that they do. Where they are not, what was there at that moment is not known: by the
// time that a new layout has been read, the code may have been exchanged once
// more.
func (f *tracker) check(t *task.Thread, frames []unwind.Frame, stop unwind.Stop) verdict {
	if f.usesList() {
		if _, all := f.sure(t, frames, stop); !all {
			return exchanged
		}
		return asKnown
	}
	if f.maps == nil {
		return asKnown
	}
	if stop.Reason != unwind.Bottom && f.layout.differs(&t.Sight) > 0 {
		return exchanged // the walk may have missed code that the layout does not have
	}
	v := asKnown
	for i := range frames {
		v = max(v, f.checkAddress(&t.Sight, lookUpAt(&frames[i])))
	}
	return v
}

// lookUpAt returns the address by which the code of a frame is found.
func lookUpAt(f *unwind.Frame) task.Addr {
	if f.Return && f.PC > 0 {
		return f.PC - 1
	}
	return f.PC
}

func (f *tracker) checkAddress(s *task.Sight, a task.Addr) verdict {
	i := f.layout.find(a)
	if v, known := f.seen(s, a, i); known {
		return v
	}
	if i < 0 {
		return f.checkUnknown(a)
	}
	if f.layout.maps[i].Inode == 0 {
		return asKnown // a JIT compiler's, which has no name
	}
	if !f.checked[i] {
		f.checked[i], f.changed[i] = true, f.isChanged(i, a)
	}
	if f.changed[i] || !f.before.has(a, f.layout.maps[i]) {
		return exchanged
	}
	return asKnown
}

// seen judges by what was seen while the thread stood, where that tells of a,
// which is in the mapping i of the layout or, with −1, in none.
func (f *tracker) seen(s *task.Sight, a task.Addr, i int) (v verdict, known bool) {
	for j := range s.Mapped {
		m := &s.Mapped[j]
		switch {
		case m.Contains(a):
			return f.compare(i, m.Mapping), true
		case i >= 0 && f.layout.code[i].Start <= m.At && m.At < f.layout.code[i].End:
			v, known = exchanged, true // unless another one has it
		}
	}
	return v, known
}

func (f *tracker) compare(i int, m task.Mapping) verdict {
	switch {
	case i < 0 && m.Inode == 0:
		return generatedCode
	case i >= 0 && (f.layout.maps[i] == m || f.layout.maps[i].Inode == 0 && m.Inode == 0):
		return asKnown
	}
	return exchanged
}

// checkUnknown is for an address where nothing was mapped that could be executed. The
// images may have code there nevertheless: they were found at another moment than
// the layout was read, and are more than it has.
func (f *tracker) checkUnknown(a task.Addr) verdict {
	if f.hasCode(a) {
		return exchanged
	}
	m, found, err := f.maps.MappedAt(a)
	switch {
	case err != nil || !found:
		return asKnown // a wild address, which will have no name
	case m.Inode == 0:
		return generatedCode
	}
	return exchanged
}

// hasCode reports whether the code of an image is at a, as far as the images know.
func (f *tracker) hasCode(a task.Addr) bool {
	_, r, found := f.images.Range(a)
	return found && r.Prot&task.Execute != 0 && f.layout.cache == nil
}

func (f *tracker) isChanged(i int, a task.Addr) bool {
	m, found, err := f.maps.MappedAt(a)
	return err == nil && (!found || m.Mapping != f.layout.maps[i]) // with an error it is ending
}

// checkRemapped looks at once at the places where files come and go, for the
// threads that did not stand: by the end of a walk they may have gone and come
// again.
func (f *tracker) checkRemapped() {
	for _, r := range f.churn.remapped {
		if i := f.layout.find(r.at); i >= 0 && f.layout.maps[i].Inode != 0 {
			f.checked[i], f.changed[i] = true, f.isChanged(i, r.at)
		}
	}
}

func (f *tracker) forgetChecks() {
	n := len(f.layout.code)
	f.checked, f.changed = slices.Grow(f.checked[:0], n)[:n], slices.Grow(f.changed[:0], n)[:n]
	clear(f.checked)
	clear(f.changed)
}
