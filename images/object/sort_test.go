package object

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortEntriesIsTheComparingSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		n        int
		places   uint64
		sections uint32
	}{{0, 1, 1}, {127, 50, 3}, {1000, 1, 1}, {1000, 100, 1}, {5000, 1 << 20, 7}, {5000, 1 << 63, 1 << 16}} {
		entries := make([]Entry, test.n)
		for i := range entries {
			entries[i] = Entry{
				VMAddr: 0x400000 + r.Uint64N(test.places), Size: r.Uint64N(3), Rank: uint8(r.Uint32N(3)),
				Name: uint32(i), Section: uint16(r.Uint32N(test.sections)),
			}
		}
		want := slices.Clone(entries)
		slices.SortStableFunc(want, compareEntries)
		if got := sortEntries(entries); !slices.Equal(got, want) {
			t.Errorf("%+v: sorted otherwise", test)
		}
	}
}
