package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

func TestDeadlocks(t *testing.T) {
	type owners map[task.ThreadID]task.ThreadID
	tests := []struct {
		name   string
		owners owners
		want   [][]task.ThreadID
	}{
		{"none", owners{1: 0, 2: 1, 3: 2}, nil},
		{"two", owners{2: 1, 1: 2}, [][]task.ThreadID{{1, 2}}},
		{"three, and one that waits for them", owners{5: 9, 9: 7, 7: 5, 1: 9}, [][]task.ThreadID{{5, 9, 7}}},
		{"itself", owners{4: 4, 1: 4}, [][]task.ThreadID{{4}}},
		{"two circles", owners{1: 3, 3: 1, 2: 4, 4: 2, 8: 2}, [][]task.ThreadID{{1, 3}, {2, 4}}},
	}
	for _, test := range tests {
		var threads []*record
		for id, owner := range test.owners {
			threads = append(threads, &record{Thread: Thread{ID: id, Wait: &Wait{Owner: owner}}})
		}
		threads = append(threads, &record{Thread: Thread{ID: 100}},
			&record{Thread: Thread{ID: 101, Last: -1, Wait: &Wait{Owner: 101}}})
		var got [][]task.ThreadID
		for _, d := range findDeadlocks(threads, 0) {
			var ids []task.ThreadID
			for _, w := range d {
				ids = append(ids, w.ID)
			}
			got = append(got, ids)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// A deadlock that ends stays in the profile, once.
func TestDeadlockStays(t *testing.T) {
	b := NewBuilder(task.Info{}, "test")
	s := task.Snapshot{Threads: []task.Thread{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}}
	waiting := []Stack{{Wait: &Wait{Lock: Mutex, Addr: 0x10, Owner: 2}}, {Wait: &Wait{Lock: Mutex, Addr: 0x20, Owner: 1}}}
	for _, stacks := range [][]Stack{waiting, waiting, make([]Stack, 2)} {
		b.Add(&s, stacks, nil)
	}
	want := []Deadlock{{
		{1, "a", Wait{Lock: Mutex, Addr: 0x10, Owner: 2}},
		{2, "b", Wait{Lock: Mutex, Addr: 0x20, Owner: 1}},
	}}
	if diff := cmp.Diff(want, b.Profile().Deadlocks); diff != "" {
		t.Error(diff)
	}
}
