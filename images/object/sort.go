package object

import (
	"cmp"
	"slices"
)

const (
	digitBits = 11  // of one pass; the counts of 2048 values stay in the first cache
	fewPlaces = 128 // entries below which comparing is faster than counting
)

// sortEntries sorts by section, place, rank (highest first) and size, and keeps
// the order of equals. Large programs have half a million functions, of which
// one snapshot asks for some dozens: so it counts digits of the places, which
// takes a tenth of the time that comparing does.
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

// countingSort sorts stably by keys of at most highest, one digit after the
// other from the lowest. It returns the sorted slice first, the other second.
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

// sortPlaces sorts what lies at each one place.
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
