package stackshot

import (
	"errors"
	"testing"

	"stacksnap/task/stackshot/kcdata"
)

// TestChainsDoNotGrow has deltas that tell again what is known, or nothing of it.
func TestChainsDoNotGrow(t *testing.T) {
	base := &Shot{Groups: []Group{{ID: 1}}, Caches: []Cache{{ID: 1}, {ID: 2}}, Layout: []LoadInfo{{Load: 1}}}
	for _, delta := range []*Shot{{}, {Groups: []Group{{ID: 1}}, Caches: []Cache{{ID: 2}}}} {
		m := base
		for range 10 {
			m = m.Merge(delta)
		}
		if len(m.Groups) != 1 || len(m.Caches) != 2 {
			t.Errorf("%d groups and %d caches", len(m.Groups), len(m.Caches))
		}
	}
	base.sorted(base.Layout)
	m := base.Merge(&Shot{})
	if &m.Caches[0] != &base.Caches[0] || &m.Groups[0] != &base.Groups[0] || &m.sorted(m.Layout)[0] != &base.sorted(base.Layout)[0] {
		t.Error("what a delta does not tell is copied")
	}
	for _, delta := range []*Shot{{Layout: []LoadInfo{{Load: 1}}}, {Caches: []Cache{{ID: 2}}}} {
		if m := base.Merge(delta); len(m.layouts) > 0 {
			t.Errorf("a layout is kept that may be of no use, with %+v", delta)
		}
	}
	for i := range uint64(2 * maxCaches) {
		m = m.Merge(&Shot{Caches: []Cache{{ID: 10 + i}}})
	}
	if newest := m.Caches[0].ID; len(m.Caches) != maxCaches || newest != 10+2*maxCaches-1 {
		t.Errorf("%d caches, %d first", len(m.Caches), newest)
	}
}

func TestManyShots(t *testing.T) {
	for _, more := range []int{0, 1} {
		var w kcdata.Writer
		for range maxShots + more {
			w.Begin(kcdata.Stackshot)
			w.End()
		}
		shots, err := parse(w.Bytes(), nil)
		if err != nil || len(shots) != maxShots || errors.Is(shots[maxShots-1].Cut, errTooMany) != (more > 0) {
			t.Errorf("%d more: %d, %v", more, len(shots), err)
		}
	}
}

func TestManyCaches(t *testing.T) {
	var w kcdata.Writer
	w.Begin(kcdata.Stackshot)
	for i := range uint64(maxCaches + 2) {
		w.Open(sortSharedCache, i)
		w.Close(i)
	}
	w.End()
	shots, err := parse(w.Bytes(), nil)
	if err != nil || len(shots[0].Caches) != maxCaches || shots[0].Bad != 2 {
		t.Errorf("%d, %d bad, %v", len(shots[0].Caches), shots[0].Bad, err)
	}
}
