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
		var threads []*Thread
		for id, owner := range test.owners {
			threads = append(threads, &Thread{ID: id, Wait: &Wait{Owner: owner}})
		}
		threads = append(threads, &Thread{ID: 100}, &Thread{ID: 101, Last: -1, Wait: &Wait{Owner: 101}})
		if diff := cmp.Diff(test.want, findDeadlocks(threads, 0)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}
