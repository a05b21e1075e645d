package cfi

import (
	"cmp"
	"slices"
	"sort"
)

// span is where an FDE is that covers [start, end).
type span struct {
	start, end uint64
	off        int
}

// index is every FDE of a section, by start.
type index []span

// typicalFDE is how many bytes an FDE has, so that the index seldom has to be moved.
const typicalFDE = 32

// newIndex reads all entries of the section. Those that are malformed are left
// out; the first such error is returned beside the index.
func newIndex(s *section) (index, error) {
	ix := make(index, 0, len(s.Data)/typicalFDE)
	var first error
	cies := map[int]*cie{}
	var last *cie // the one of the entry before, as nearly always
	var e entry
	for off := 0; off < len(s.Data); off = e.next {
		err := s.read(&e, off)
		if err == nil && !e.zero && e.cie != -1 {
			if last == nil || last.off != e.cie {
				last, err = s.shared(e.cie, cies)
			}
			if err == nil {
				err = ix.add(last, &e)
			}
		}
		if err != nil && first == nil {
			first = err
		}
		if e.next <= off {
			break // the length itself is wrong: nothing beyond can be found
		}
	}
	slices.SortStableFunc(ix, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return ix, first
}

// shared returns the CIE at off, which is read once.
func (s *section) shared(off int, cies map[int]*cie) (*cie, error) {
	if ci, ok := cies[off]; ok {
		return ci, nil
	}
	ci, err := s.cieAt(off)
	if err != nil {
		return nil, err
	}
	cies[off] = ci
	return ci, nil
}

func (ix *index) add(ci *cie, e *entry) error {
	start, end, err := ci.readRange(&e.body)
	if err != nil || e.body.bad {
		return cmp.Or(err, errMalformed)
	}
	// A start of 0 is what linkers leave of functions that were dropped.
	if start != 0 && start < end {
		*ix = append(*ix, span{start, end, e.off})
	}
	return nil
}

// overlap is how many spans are tried for one address: more than one covers it
// only where FDEs overlap, which correct files do not have.
const overlap = 4

// find returns the offset of an FDE that covers vmaddr.
func (ix index) find(vmaddr uint64) (int, bool) {
	i := sort.Search(len(ix), func(i int) bool { return ix[i].start > vmaddr })
	for j := i - 1; j >= max(i-overlap, 0); j-- {
		if vmaddr < ix[j].end {
			return ix[j].off, true
		}
	}
	return 0, false
}
