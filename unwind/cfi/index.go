package cfi

import (
	"math"
	"sort"
)

// span is an FDE, at offset off, and the code that it covers: size bytes from start.
// Large files have millions, so it is small. A size above 4 GiB, which no function
// has, is cut.
type span struct {
	start     uint64
	size, off uint32
}

// index has every FDE of a section, sorted by start.
type index []span

// shortFDE is the size in bytes of the shortest FDEs that compilers write. It bounds
// the number of FDEs, so that the index is allocated once.
const shortFDE = 24

// newIndex reads all entries of a section. It skips malformed ones and returns the
// first such error together with the index.
func newIndex(s *section) (index, error) {
	w := sweep{section: s, found: make(index, 0, len(s.Data)/shortFDE), cies: map[int]*cie{}}
	var first error
	for off := 0; off < len(s.Data); {
		next, err := w.entry(off)
		if first == nil {
			first = err
		}
		if next <= off {
			break // the length is wrong, so the next entry cannot be found
		}
		off = next
	}
	return w.found.sorted(), first
}

// sweep reads the entries of a section in order.
type sweep struct {
	*section
	found index
	cies  map[int]*cie // by offset
	last  *cie         // of the last FDE, and usually of the next
}

// entry reads the entry at off and returns the offset of the next.
func (w *sweep) entry(off int) (next int, err error) {
	if w.last != nil {
		if start, end, next := w.last.quick(w.section, off); next != 0 {
			w.add(start, end, off)
			return next, nil
		}
	}
	var e entry
	if err = w.section.read(&e, off); err != nil || e.zero || e.cie == -1 {
		return e.next, err
	}
	if w.last, err = w.shared(e.cie); err != nil {
		return e.next, err
	}
	start, end, err := w.last.readRange(&e.body)
	if err == nil && e.body.bad {
		err = errMalformed
	}
	if err == nil {
		w.add(start, end, off)
	}
	return e.next, err
}

// add appends an FDE unless it covers no code. A start of 0 is what linkers leave of
// functions that they dropped.
func (w *sweep) add(start, end uint64, off int) {
	if start != 0 && start < end {
		w.found = append(w.found, span{start, uint32(min(end-start, math.MaxUint32)), uint32(off)})
	}
}

// shared returns the CIE at off, parsed once.
func (w *sweep) shared(off int) (*cie, error) {
	if ci, ok := w.cies[off]; ok {
		return ci, nil
	}
	ci, err := w.cieAt(off)
	if err != nil {
		return nil, err
	}
	w.cies[off] = ci
	return ci, nil
}

// overlap is how many spans are tried for one address. Only where FDEs overlap, which
// is an error in the file, does more than one cover it.
const overlap = 4

// find returns the offset of an FDE that covers vmaddr.
func (ix index) find(vmaddr uint64) (int, bool) {
	i := sort.Search(len(ix), func(i int) bool { return ix[i].start > vmaddr })
	for j := i - 1; j >= max(i-overlap, 0); j-- {
		if vmaddr-ix[j].start < uint64(ix[j].size) {
			return int(ix[j].off), true
		}
	}
	return 0, false
}
