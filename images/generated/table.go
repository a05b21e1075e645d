package generated

import (
	"cmp"
	"slices"
)

// table finds the last entry that covers an address.
type table struct {
	entries []Entry // in file order, without those that are fully covered by later ones
	pieces  []piece // of entries[:sorted], by address, without overlap
	sorted  int
}

// piece is a range where an entry is the last.
type piece struct {
	start, end uint64
	entry      int
}

const (
	fewEntries = 1 << 10 // unsorted entries, which find searches one by one
	partSorted = 8       // or one in this many of the sorted ones
)

// add appends an entry. Call settle before the next find.
func (t *table) add(e Entry) {
	t.entries = append(t.entries, e)
	if len(t.entries)-t.sorted > max(fewEntries, t.sorted) {
		t.sort()
	}
}

func (t *table) settle() {
	if len(t.entries)-t.sorted > max(fewEntries, t.sorted/partSorted) {
		t.sort()
	}
}

// find returns the last entry that covers a, nil if none does.
func (t *table) find(a uint64) *Entry {
	for i := len(t.entries) - 1; i >= t.sorted; i-- {
		if t.entries[i].contains(a) {
			return &t.entries[i]
		}
	}
	i, found := slices.BinarySearchFunc(t.pieces, a, func(p piece, a uint64) int { return cmp.Compare(p.start, a) })
	if !found {
		i--
	}
	if i < 0 || a >= t.pieces[i].end {
		return nil
	}
	return &t.entries[t.pieces[i].entry]
}

// sort computes the pieces of all entries. Between two adjacent starts or ends, the
// last entry that covers the code is the same.
func (t *table) sort() {
	if t.sorted == len(t.entries) {
		return
	}
	cuts := make([]uint64, 0, 2*len(t.entries))
	for i := range t.entries {
		cuts = append(cuts, t.entries[i].Start, t.entries[i].End)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	t.drop(owners(cuts, t.entries), cuts)
}

const nobody = -1

// owners returns, for the interval after each cut, the index of the last entry that
// covers it. Later entries claim intervals first, and next skips claimed ones, so
// that each interval is visited once.
func owners(cuts []uint64, entries []Entry) []int {
	owner, next := make([]int, len(cuts)), make([]int, len(cuts)+1)
	for i := range next {
		next[i] = i
	}
	for i := range owner {
		owner[i] = nobody
	}
	free := func(i int) int {
		for next[i] != i {
			next[i] = next[next[i]]
			i = next[i]
		}
		return i
	}
	for i := len(entries) - 1; i >= 0; i-- {
		from, _ := slices.BinarySearch(cuts, entries[i].Start)
		for at := free(from); at < len(cuts) && cuts[at] < entries[i].End; at = free(at) {
			owner[at] = i
			next[at] = at + 1
		}
	}
	return owner
}

// drop keeps the entries that own an interval, and computes their pieces.
func (t *table) drop(owner []int, cuts []uint64) {
	at := make([]int, len(t.entries))
	for _, o := range owner {
		if o != nobody {
			at[o] = 1
		}
	}
	kept := t.entries[:0]
	for i, e := range t.entries {
		if at[i] != 0 {
			at[i] = len(kept)
			kept = append(kept, e)
		}
	}
	clear(t.entries[len(kept):])
	t.entries, t.sorted, t.pieces = kept, len(kept), t.pieces[:0]
	for i, o := range owner {
		if o == nobody {
			continue
		}
		t.join(piece{cuts[i], cuts[i+1], at[o]}) // the last cut is an end, so no entry owns it
	}
}

// join appends a piece, merging it with the one before if possible.
func (t *table) join(p piece) {
	if n := len(t.pieces); n > 0 && t.pieces[n-1].end == p.start && t.pieces[n-1].entry == p.entry {
		t.pieces[n-1].end = p.end
		return
	}
	t.pieces = append(t.pieces, p)
}
