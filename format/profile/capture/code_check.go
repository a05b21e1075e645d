package capture

import (
	"slices"

	"stacksnap/task"
	"stacksnap/unwind"
)

// verdict says whether a stack was walked with the images that were mapped when it was captured.
type verdict uint8

const (
	asKnown       verdict = iota
	generatedCode         // a frame is in code of no file that was not there when the memory map was read
	remappedCode          // a frame is where another file is mapped by now, or where none was
)

// check reports whether the code that a walk led through was mapped when the thread was
// captured. What was probed in the stop is certain. At other addresses, the present mappings are
// compared with the memory map that was last read before the stop. If both agree, the same file
// was mapped in between, because addresses at which files come and go are probed from the first
// change on. If they differ, it is not known what was mapped at that moment: by the time a new
// memory map has been read, the code may have been remapped once more.
func (f *tracker) check(t *task.Thread, frames []unwind.Frame, stop unwind.Stop) verdict {
	if f.usesList() {
		if _, all := f.sure(t, frames, stop); !all {
			return remappedCode
		}
		return asKnown
	}
	if f.maps == nil {
		return asKnown
	}
	if stop.Reason != unwind.Bottom && f.memoryMap.differs(&t.Probe) > 0 {
		return remappedCode // the walk may have missed code that the memory map does not have
	}
	v := asKnown
	for i := range frames {
		v = max(v, f.checkAddress(&t.Probe, frames[i].LookUp()))
	}
	return v
}

func (f *tracker) checkAddress(s *task.StopProbe, a task.Addr) verdict {
	i := f.memoryMap.find(a)
	if v, known := f.seen(s, a, i); known {
		return v
	}
	if i < 0 {
		return f.checkUnknown(a)
	}
	if f.memoryMap.maps[i].Inode == 0 {
		return asKnown // a JIT compiler's code, which has no name
	}
	if !f.checked[i] {
		f.checked[i], f.changed[i] = true, f.isChanged(i, a)
	}
	if f.changed[i] || !f.before.has(a, f.memoryMap.maps[i]) {
		return remappedCode
	}
	return asKnown
}

// seen judges an address by the probe of the stop; known is false if the probe does not cover
// it. The address is in the mapping with index i of the memory map or, if i is −1, in none.
func (f *tracker) seen(s *task.StopProbe, a task.Addr, i int) (v verdict, known bool) {
	for j := range s.Mapped {
		m := &s.Mapped[j]
		switch {
		case m.Contains(a):
			return f.compare(i, m.Mapping), true
		case i >= 0 && f.memoryMap.code[i].Start <= m.At && m.At < f.memoryMap.code[i].End:
			v, known = remappedCode, true // unless another one has it
		}
	}
	return v, known
}

func (f *tracker) compare(i int, m task.Mapping) verdict {
	switch {
	case i < 0 && m.Inode == 0:
		return generatedCode
	case i >= 0 && (f.memoryMap.maps[i] == m || f.memoryMap.maps[i].Inode == 0 && m.Inode == 0):
		return asKnown
	}
	return remappedCode
}

// checkUnknown judges an address that is in no executable mapping of the memory map. An image
// may still have code there, because images are found at another moment than the memory map.
func (f *tracker) checkUnknown(a task.Addr) verdict {
	if f.hasCode(a) {
		return remappedCode
	}
	m, found, err := f.maps.MappedAt(a)
	switch {
	case err != nil || !found:
		return asKnown // a wild address, which will get no name
	case m.Inode == 0:
		return generatedCode
	}
	return remappedCode
}

// hasCode reports whether the code of an image is at a, as far as the images know.
func (f *tracker) hasCode(a task.Addr) bool {
	_, r, found := f.images.Range(a)
	return found && r.Prot&task.Execute != 0 && f.memoryMap.cache == nil
}

func (f *tracker) isChanged(i int, a task.Addr) bool {
	m, found, err := f.maps.MappedAt(a)
	return err == nil && (!found || m.Mapping != f.memoryMap.maps[i]) // with an error the process is ending
}

// checkRemapped checks the addresses at which files come and go before the walk, for threads
// that were not stopped: by the end of the walk a file may have gone and come back.
func (f *tracker) checkRemapped() {
	for _, r := range f.churn.remapped {
		if i := f.memoryMap.find(r.at); i >= 0 && f.memoryMap.maps[i].Inode != 0 {
			f.checked[i], f.changed[i] = true, f.isChanged(i, r.at)
		}
	}
}

func (f *tracker) forgetChecks() {
	n := len(f.memoryMap.code)
	f.checked, f.changed = slices.Grow(f.checked[:0], n)[:n], slices.Grow(f.changed[:0], n)[:n]
	clear(f.checked)
	clear(f.changed)
}
