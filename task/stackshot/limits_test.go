package stackshot

import (
	"encoding/binary"
	"errors"
	"slices"
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

// ids are so many different ones, as an array has them.
func ids(w *kcdata.Writer, t uint32, count int) {
	var b []byte
	for i := range uint64(count) {
		b = binary.LittleEndian.AppendUint64(b, i)
	}
	w.Array(t, count, b)
}

// TestManyInLists has more tasks and threads than are kept of a stackshot, of which there
// is no more than the id, or a change.
func TestManyInLists(t *testing.T) {
	var w kcdata.Writer
	for range 2 {
		w.Begin(kcdata.DeltaStackshot)
		ids(&w, typeStillTasks, maxTasks+1)
		for i := range uint64(2) {
			w.Open(sortTask, i)
			w.Array(typeThreadDelta, 3, make([]byte, 3*len(kcdata.Encode(ThreadDelta{}))))
			ids(&w, typeStillThreads, maxThreads-4)
			w.Close(i)
		}
		w.End()
	}
	shots, err := parse(w.Bytes(), nil)
	if err != nil || len(shots) != 2 {
		t.Fatal(len(shots), err)
	}
	for _, s := range shots {
		first, second := &s.Tasks[0], &s.Tasks[1]
		if len(s.StillTasks) != maxTasks || len(first.Deltas) != 3 || len(first.StillThreads) != maxThreads-4 || len(second.Deltas) != 1 || len(second.StillThreads) != 0 || s.Bad != 3 {
			t.Errorf("%d tasks; %d and %d threads, %d and %d; %d bad", len(s.StillTasks), len(first.Deltas), len(first.StillThreads), len(second.Deltas), len(second.StillThreads), s.Bad)
		}
	}
}

// TestRepeatedInLists has those again that were told of.
func TestRepeatedInLists(t *testing.T) {
	base, delta := baseAndDelta()
	want := base.Merge(delta)
	now := &delta.Tasks[0]
	delta.StillTasks = append(delta.StillTasks, 6, 1, 8)
	now.Deltas = append(now.Deltas, ThreadDelta{ID: 2}, ThreadDelta{ID: 3})
	now.StillThreads = append(now.StillThreads, 44, 4, 3, 33, 2)
	got := base.Merge(delta)
	numbers := func(s *Shot) (list []uint64) {
		for i := range s.Tasks {
			list = append(list, s.Tasks[i].ID)
			for k := range s.Tasks[i].Threads {
				list = append(list, s.Tasks[i].Threads[k].ID)
			}
		}
		return list
	}
	if !slices.Equal(numbers(got), numbers(want)) {
		t.Errorf("%d, want %d", numbers(got), numbers(want))
	}
}

// TestManyFrames has them in several items.
func TestManyFrames(t *testing.T) {
	for _, c := range []struct{ each, kept int }{{maxFrames / 2, maxFrames}, {maxFrames/2 + 1, maxFrames + 1}, {2 * maxFrames, maxFrames + 1}} {
		var w kcdata.Writer
		w.Begin(kcdata.Stackshot)
		w.Open(sortTask, 1)
		w.Open(sortThread, 2)
		ids(&w, typeUserLR64, c.each)
		ids(&w, typeUserLR64, c.each)
		ids(&w, typeKernelFrame64, c.each)
		w.Close(2)
		w.Close(1)
		w.End()
		shots, err := parse(w.Bytes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		th := &shots[0].Tasks[0].Threads[0]
		if len(th.User) != c.kept || len(th.Kernel) != min(c.each, maxFrames+1) || th.User[1].LR != 1 || shots[0].Bad != 0 {
			t.Errorf("twice %d: %d, and %d in the kernel", c.each, len(th.User), len(th.Kernel))
		}
	}
}
