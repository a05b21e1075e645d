package object

import (
	"cmp"
	"slices"
)

const (
	digitBits = 11  // bits of one pass; 2048 counters fit into the first-level cache
	fewPlaces = 128 // below this many entries a comparison sort is faster
)

// sortEntries sorts by section, address, rank (highest first) and size, stably. Large
// programs have half a million functions, and one snapshot needs some dozens, so
// it is a radix sort by address, which takes a tenth of a comparison sort's time.
func sortEntries(entries []Entry) []Entry {
	if len(entries) < fewPlaces {
		slices.SortStableFunc(entries, compareEntries)
		return entries
	}
	low, high := entries[0].VMAddr, entries[0].VMAddr
	for i := range entries {
		low, high = min(low, entries[i].VMAddr), max(high, entries[i].VMAddr)
	}
	spare := make([]Entry, len(entries))
	entries, spare = countingSort(entries, spare, high-low, func(e *Entry) uint64 { return e.VMAddr - low })
	if !slices.IsSortedFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Section, b.Section) }) {
		entries, _ = countingSort(entries, spare, 1<<16-1, func(e *Entry) uint64 { return uint64(e.Section) })
	}
	sortPlaces(entries)
	return entries
}

// countingSort sorts stably by keys of at most highest, one digit at a time from the
// lowest. It returns the sorted slice first, the other second.
func countingSort(from, to []Entry, highest uint64, key func(*Entry) uint64) (sorted, spare []Entry) {
	for shift := 0; shift < 64 && highest>>shift != 0; shift += digitBits {
		var next [1 << digitBits]int
		for i := range from {
			next[key(&from[i])>>shift&(1<<digitBits-1)]++
		}
		at := 0
		for i, n := range next {
			next[i] = at
			at += n
		}
		for i := range from {
			digit := key(&from[i]) >> shift & (1<<digitBits - 1)
			to[next[digit]] = from[i]
			next[digit]++
		}
		from, to = to, from
	}
	return from, to
}

// sortPlaces sorts the entries at each address.
func sortPlaces(entries []Entry) {
	for start, end := 0, 0; start < len(entries); start = end {
		first := &entries[start]
		for end = start + 1; end < len(entries); end++ {
			if entries[end].VMAddr != first.VMAddr || entries[end].Section != first.Section {
				break
			}
		}
		if end-start > 1 {
			slices.SortStableFunc(entries[start:end], compareEntries)
		}
	}
}
