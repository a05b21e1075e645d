package dwarf

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// span is a range of addresses and the index of its owner.
type span struct {
	low, high uint64
	of        int32
}

// spanBytes is the cost of a span, for the budget.
const spanBytes = 40

// spans finds the spans that contain an address. Spans may overlap.
type spans struct {
	list []span   // by low; equal ones in the order in which they were added
	tops []uint64 // the largest high up to each
}

// addSpan adds a span, unless it is empty. It returns false if the budget is
// exhausted.
func (d *Data) addSpan(to *spans, s span) bool {
	if s.low >= s.high {
		return true
	}
	if n := len(to.list); n > 0 && to.list[n-1].of == s.of && to.list[n-1].high == s.low {
		to.list[n-1].high = s.high
		return true
	}
	if !d.keep(spanBytes) {
		return false
	}
	to.list = append(to.list, s)
	return true
}

// sort prepares the list for searching.
func (s *spans) sort() {
	byLow := func(a, b span) int { return cmp.Compare(a.low, b.low) }
	if !slices.IsSortedFunc(s.list, byLow) {
		slices.SortStableFunc(s.list, byLow)
	}
	s.tops = make([]uint64, len(s.list))
	top := uint64(0)
	for i := range s.list {
		top = max(top, s.list[i].high)
		s.tops[i] = top
	}
}

// at yields the spans that contain an address, the highest low first, and among equal
// ones the last added.
func (s *spans) at(a uint64) iter.Seq[span] {
	return func(yield func(span) bool) {
		above := sort.Search(len(s.list), func(i int) bool { return s.list[i].low > a })
		for i := above - 1; i >= 0 && s.tops[i] > a; i-- {
			if s.list[i].high > a && !yield(s.list[i]) {
				return
			}
		}
	}
}
