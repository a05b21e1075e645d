package live

import (
	"slices"
	"testing"

	"stacksnap/task"
)

func TestDescendants(t *testing.T) {
	s := &script{moments: repeat(1,
		task.Candidate{PID: 1}, task.Candidate{PID: 2, ParentPID: 1},
		task.Candidate{PID: 9, ParentPID: 2}, task.Candidate{PID: 4, ParentPID: 9},
		task.Candidate{PID: 5, ParentPID: 1}, task.Candidate{PID: 6, ParentPID: 5},
		// A circle, as a list that changes while it is read can have.
		task.Candidate{PID: 7, ParentPID: 8}, task.Candidate{PID: 8, ParentPID: 7},
		task.Candidate{PID: 3, ParentPID: 3},
	)}
	for _, c := range []struct{ roots, want []int }{
		{[]int{2}, []int{4, 9}},
		{[]int{2, 5}, []int{4, 6, 9}},
		{[]int{2, 9}, []int{4}},
		{[]int{7}, []int{8}},
		{[]int{3}, nil},
		{[]int{77}, nil},
		{nil, nil},
	} {
		got, err := descendants(s, c.roots)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("descendants of %v are %v, %v; want %v", c.roots, got, err, c.want)
		}
	}
}

// TestBelow asks a system that tells the children of one process.
func TestBelow(t *testing.T) {
	kids := map[int][]int{2: {9}, 9: {4}, 1: {2, 5}, 5: {6}, 7: {8}, 8: {7}, 3: {3}}
	var asked []int
	tells := func(pid int) ([]int, bool) {
		asked = append(asked, pid)
		return kids[pid], true
	}
	for _, c := range []struct{ roots, want, asked []int }{
		{[]int{2}, []int{4, 9}, []int{2, 9, 4}},
		{[]int{2, 9}, []int{4}, []int{2, 9, 4}},
		{[]int{7}, []int{8}, []int{7, 8}},
		{[]int{3}, nil, []int{3}},
		{[]int{77}, nil, []int{77}},
		{nil, nil, nil},
	} {
		asked = nil
		got, ok := below(tells, c.roots)
		if !ok || !slices.Equal(got, c.want) || !slices.Equal(asked, c.asked) {
			t.Errorf("below %v are %v, %v, want %v; asked %v, want %v", c.roots, got, ok, c.want, asked, c.asked)
		}
	}
	if _, ok := below(func(int) ([]int, bool) { return nil, false }, []int{1}); ok {
		t.Error("a system that tells nothing has told something")
	}
}
