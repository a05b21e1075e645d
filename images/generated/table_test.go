package generated

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// last is what table is to find, by looking at every entry.
func last(entries []Entry, a uint64) string {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].contains(a) {
			return entries[i].Name
		}
	}
	return ""
}

func (t *table) name(a uint64) string {
	if e := t.find(a); e != nil {
		return e.Name
	}
	return ""
}

// TestLastEntryHolds compares the table with a search of all entries, unsorted and
// sorted at any moment.
func TestLastEntryHolds(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		var tab table
		var all []Entry
		const space = 300
		for i := range 200 {
			start := r.Uint64N(space)
			e := Entry{Start: start, End: start + 1 + r.Uint64N(40), Name: fmt.Sprint(i)}
			tab.add(e)
			all = append(all, e)
			if r.IntN(30) == 0 {
				tab.sort()
			}
		}
		for range 2 {
			for a := range uint64(space + 50) {
				if got, want := tab.name(a), last(all, a); got != want {
					t.Fatalf("seed %d: %d is in %q, want %q", seed, a, got, want)
				}
			}
			tab.sort()
		}
		if len(tab.entries) >= len(all) {
			t.Errorf("all %d entries are kept, of which many are written over", len(all))
		}
	}
}

// TestManyEntries are sorted now and then, and those that nothing leads to are
// dropped.
func TestManyEntries(t *testing.T) {
	var tab table
	const n = 100_000
	for i := range uint64(n) {
		tab.add(Entry{Start: i % 5000 * 16, End: i%5000*16 + 16, Name: fmt.Sprint(i)})
	}
	if len(tab.entries) > 5000+max(fewEntries, 5000) {
		t.Errorf("%d entries are kept", len(tab.entries))
	}
	for i := range uint64(5000) {
		if got, want := tab.name(i*16+3), fmt.Sprint(n-5000+i); got != want {
			t.Fatalf("%d: %q, want %q", i, got, want)
		}
	}
	if tab.find(5000*16) != nil {
		t.Error("an address behind all is in an entry")
	}
}
