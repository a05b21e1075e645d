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

// newIndex reads all entries of the section. Those that are malformed are left
// out; the first such error is returned beside the index.
func newIndex(s *section) (index, error) {
	var ix index
	var first error
	cies := map[int]*cie{}
	for off := 0; off < len(s.Data); {
		e, err := s.entry(off)
		if err == nil && !e.zero && e.cie != -1 {
			err = ix.add(s, e, cies)
		}
		if err != nil && first == nil {
			first = err
		}
		if e.next <= off {
			break // the length itself is wrong: nothing beyond can be found
		}
		off = e.next
	}
	slices.SortStableFunc(ix, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return ix, first
}

func (ix *index) add(s *section, e entry, cies map[int]*cie) error {
	ci, ok := cies[e.cie]
	if !ok {
		var err error
		if ci, err = s.cieAt(e.cie); err != nil {
			return err
		}
		cies[e.cie] = ci
	}
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
