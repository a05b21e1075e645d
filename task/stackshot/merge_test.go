package stackshot

import (
	"reflect"
	"slices"
	"testing"

	"stacksnap/task"
)

// base is a stackshot of two tasks, and after what a kernel tells later.
func baseAndDelta() (*Shot, *Shot) {
	base := &Shot{
		BootArgs: "a", OSVersion: "v", OSBuild: "b", PageSize: ref(4096), Timebase: &Timebase{1, 1}, AbsoluteTime: ref(100), SharedCache: &SharedCache{Slide: 1},
		Layout: []LoadInfo{{1, [16]byte{1}}}, Groups: []Group{{ID: 1}}, Caches: []Cache{{ID: 1}},
		Tasks: []Task{
			{
				ID: 1, Snapshot: &TaskSnapshot{UniquePID: 1, PID: 11, Footprint: 5, Start: 7}, Images: []LoadInfo{{1, [16]byte{1}}}, CacheID: ref(1),
				IO: &IOStats{Reads: 1}, Waits: []WaitInfo{{Waiter: 4}}, TextExec: []LoadInfo{{2, [16]byte{2}}},
				Threads: []Thread{
					{ID: 2, Name: "ran", User: []Frame{{LR: 0x1000}}},
					{ID: 3, Name: "waited", Snapshot: &ThreadSnapshot{ID: 3, User: 5, State: StateRun, Flags: ThreadCut | ThreadOnCore}, User: []Frame{{LR: 0x3000}}},
					{ID: 4, Name: "still", User: []Frame{{LR: 0x4000}}},
					{ID: 5, Name: "ended"},
				},
			},
			{ID: 6, Snapshot: &TaskSnapshot{PID: 16}},
			{ID: 7, Snapshot: &TaskSnapshot{PID: 17}},
		},
	}
	delta := &Shot{
		Delta: true, AbsoluteTime: ref(200), Since: ref(100), StillTasks: []uint64{6, 66}, Groups: []Group{{ID: 2}}, Caches: []Cache{{ID: 2}},
		Tasks: []Task{
			{
				ID: 1, Delta: &TaskDelta{UniquePID: 1, Footprint: 6}, Donating: []int32{1}, Waits: []WaitInfo{{Waiter: 3}},
				Threads:      []Thread{{ID: 2, Name: "ran", User: []Frame{{LR: 0x2000}}}},
				Deltas:       []ThreadDelta{{ID: 3, State: StateWait, Priority: 4}, {ID: 33, State: StateWait}},
				StillThreads: []uint64{4, 44},
			},
			{ID: 8, Snapshot: &TaskSnapshot{PID: 18}},
		},
	}
	return base, delta
}

func TestMerge(t *testing.T) {
	base, delta := baseAndDelta()
	all := slices.Collect(Whole([]*Shot{base, delta}))
	want := &Shot{
		BootArgs: "a", OSVersion: "v", OSBuild: "b", PageSize: ref(4096), Timebase: &Timebase{1, 1}, AbsoluteTime: ref(200), Since: ref(100), SharedCache: &SharedCache{Slide: 1},
		Layout: []LoadInfo{{1, [16]byte{1}}}, Groups: []Group{{ID: 2}}, Caches: []Cache{{ID: 2}, {ID: 1}},
		Tasks: []Task{
			{
				ID: 1, Snapshot: &TaskSnapshot{UniquePID: 1, PID: 11, Footprint: 6, Start: 7}, Images: []LoadInfo{{1, [16]byte{1}}}, CacheID: ref(1),
				IO: &IOStats{Reads: 1}, Waits: []WaitInfo{{Waiter: 3}}, Donating: []int32{1}, TextExec: []LoadInfo{{2, [16]byte{2}}},
				Threads: []Thread{
					{ID: 2, Name: "ran", User: []Frame{{LR: 0x2000}}},
					{ID: 3, Name: "waited", Snapshot: &ThreadSnapshot{ID: 3, User: 5, State: StateWait, Priority: 4, Flags: ThreadCut}, User: []Frame{{LR: 0x3000}}, Still: true},
					{ID: 33, Snapshot: &ThreadSnapshot{ID: 33, State: StateWait}},
					{ID: 4, Name: "still", User: []Frame{{LR: 0x4000}}, Still: true},
					{ID: 44},
				},
			},
			{ID: 8, Snapshot: &TaskSnapshot{PID: 18}},
			{ID: 6, Snapshot: &TaskSnapshot{PID: 16}},
		},
		kernel: []Image{},
	}
	if !reflect.DeepEqual(all[1], want) {
		t.Errorf("got\n%+v\nwant\n%+v", all[1], want)
	}
	base.kernel = nil // it is asked for once
	sameBase, sameDelta := baseAndDelta()
	if !reflect.DeepEqual(base, sameBase) || !reflect.DeepEqual(delta, sameDelta) || all[0] != base {
		t.Error("what was merged was changed")
	}
}

// TestMergeNeedsTheTime: between the two a thread may have run of which the delta does
// not tell.
func TestMergeNeedsTheTime(t *testing.T) {
	for _, c := range []struct {
		at, since *uint64
		want      bool
	}{{ref(100), ref(100), true}, {ref(101), ref(100), true}, {ref(99), ref(100), false}, {nil, ref(1), false}, {ref(1), nil, false}} {
		base, delta := baseAndDelta()
		base.AbsoluteTime, delta.Since = c.at, c.since
		if all := slices.Collect(Whole([]*Shot{base, delta})); (all[1] != delta) != c.want {
			t.Errorf("%+v", c)
		}
	}
	base, delta := baseAndDelta()
	if all := slices.Collect(Whole([]*Shot{delta, base})); all[0] != delta || all[1] != base {
		t.Error("merged with what came later")
	}
	third := &Shot{Delta: true, Since: ref(200), AbsoluteTime: ref(300), StillTasks: []uint64{8}}
	if all := slices.Collect(Whole([]*Shot{base, delta, third})); len(all[2].Tasks) != 1 || all[2].Tasks[0].Snapshot.PID != 18 || all[2].Delta {
		t.Errorf("%+v", all[2])
	}
}

// TestDeltaAlone has the threads that it knows, with the frames of those that ran.
func TestDeltaAlone(t *testing.T) {
	_, delta := baseAndDelta()
	p := delta.Processes()[0]
	ids, _ := p.Threads()
	if len(ids) != 5 || p.Info().PID != 0 {
		t.Errorf("%v of %d", ids, p.Info().PID)
	}
	for id, frames := range map[uint64]int{2: 1, 3: 0, 33: 0, 4: 0, 44: 0} {
		if th := p.find(task.ThreadID(id)); th == nil || len(th.User) != frames {
			t.Errorf("%d: %+v", id, th)
		}
	}
}

// TestMergeWhenAskedFor makes no stackshot before it is its turn.
func TestMergeWhenAskedFor(t *testing.T) {
	base, delta := baseAndDelta()
	for s := range Whole([]*Shot{base, delta}) {
		if s == base {
			delta.Tasks = nil
			continue
		}
		if len(s.Tasks) != 1 || s.Tasks[0].ID != 6 {
			t.Errorf("made before: %+v", s)
		}
	}
	for range Whole([]*Shot{base, nil}) {
		break
	}
}

// TestMergeOfTheKernel keeps what a delta does not tell of the kernel's images.
func TestMergeOfTheKernel(t *testing.T) {
	of := func(loads ...LoadInfo) []Task { return []Task{{ID: 0, Images: loads}} }
	base := &Shot{AbsoluteTime: ref(1), Tasks: []Task{{ID: 0, Images: []LoadInfo{{Load: 1}}, TextExec: []LoadInfo{{Load: 2}}}}}
	base.Processes()[0].Images()
	for name, c := range map[string]struct {
		delta Shot
		want  []task.Addr
	}{
		"nothing":     {Shot{}, []task.Addr{1, 2}},
		"not changed": {Shot{StillTasks: []uint64{0}}, []task.Addr{1, 2}},
		"no images":   {Shot{Tasks: of()}, []task.Addr{1, 2}},
		"others":      {Shot{Tasks: of(LoadInfo{Load: 3})}, []task.Addr{2, 3}},
	} {
		var got []task.Addr
		for _, im := range base.Merge(&c.delta).Merge(&Shot{}).kernelImages() {
			got = append(got, im.Load)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
