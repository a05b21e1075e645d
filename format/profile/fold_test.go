package profile

import "testing"

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
