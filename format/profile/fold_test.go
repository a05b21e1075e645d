package profile

import (
	"testing"

	"stacksnap/task"
)

// TestLikenessAllocatesLittle: as much for a deep stack as for a flat one.
func TestLikenessAllocatesLittle(t *testing.T) {
	var root *Node
	deep := &Thread{}
	for range 100 {
		root = &Node{Location: Location{Function: "function"}, PC: 0x10, Count: 1}
		if len(deep.Roots) > 0 {
			root.Children = deep.Roots
		}
		deep.Roots = []*Node{root}
	}
	flat := &Thread{Roots: []*Node{{Location: Location{Function: "function"}, PC: 0x10, Count: 1}}}
	var l likeness
	allocations := func(th *Thread) float64 { return testing.AllocsPerRun(10, func() { th.likeness(&l) }) }
	if d, f := allocations(deep), allocations(flat); d > f+4 { // how deep the walk is
		t.Errorf("%v allocations for 100 frames, %v for one", d, f)
	}
	if deep.likeness(&l) == flat.likeness(&l) {
		t.Error("stacks of different depth are alike")
	}
}

// TestLikenessMakesLittle: of thousands of threads each frame is compared, and nothing is made for it.
func TestLikenessMakesLittle(t *testing.T) {
	inner := &Node{Location: Location{Function: "inner", Offset: 4}, PC: 0x2004, Count: 1, Self: 1, States: new(States)}
	outer := &Node{Location: Location{Function: "outer", Offset: 8}, PC: 0x1008, Count: 1, Children: []*Node{inner}}
	thread := &Thread{ID: 1, State: task.Sleeping, Roots: []*Node{outer}, Waits: []Waited{{Wait: Wait{Call: "read"}}}}
	var l likeness
	first := thread.likeness(&l)
	if n := testing.AllocsPerRun(10, func() { thread.likeness(&l) }); n > 4 {
		t.Errorf("%v things are made for two frames", n)
	}
	inner.Function = "other"
	if thread.likeness(&l) == first {
		t.Error("threads in different functions are alike")
	}
}
