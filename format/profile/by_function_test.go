package profile

import (
	"testing"

	"stacksnap/task"
)

// Code without a name is one node a function, or a region of 4 KB, under each
// caller, and not one an address.
func TestCodeWithoutANameByArea(t *testing.T) {
	im := &Image{Path: "/lib/stripped.so", Load: 0x7000_0000, End: 0x7100_0000}
	root := &Node{Location: Location{Function: "main"}, PC: 1, Count: 600}
	for i := range 600 {
		n := &Node{PC: 0x1000_0000 + task.Addr(i)*0x20, Count: 1, Self: 1} // 600 addresses, 5 regions
		if i%2 == 1 {
			n.PC = im.Load + task.Addr(i)*0x40
			n.Location = Location{Image: im, Offset: uint64(i) * 0x40, Start: im.Load + task.Addr(i/200)*0x3000}
		}
		root.Children = append(root.Children, n)
	}
	p := &Profile{Threads: []*Thread{{ID: 1, Roots: []*Node{root}}}}
	merged := p.ByFunction().Threads[0].Roots[0].Children
	if len(merged) != 5+3 {
		t.Errorf("%d nodes, want 5 regions and 3 functions", len(merged))
	}
	if merged := p.ByBounds().Threads[0].Roots[0].Children; len(merged) != 1+3 {
		t.Errorf("%d nodes, want 3 functions and the code of no file", len(merged))
	}
	times, total := p.SelfTimes()
	if len(times) != 1+3 || total != 600 {
		t.Errorf("%d self times of %d samples, want 3 functions and the code of no file", len(times), total)
	}
	for _, s := range times {
		if s.Image != nil && im.Load+task.Addr(s.Offset) != s.Start {
			t.Errorf("%+v is not named by where it starts", s)
		}
	}
}

// TestOverloads are functions of their own, though they have the same name; the parts
// of one are not.
func TestOverloads(t *testing.T) {
	im := &Image{Path: "/usr/lib/libshop.dylib"}
	root := &Node{Location: Location{Function: "main"}, PC: 1, Count: 6}
	for i, overload := range []string{"$s4shop3addyySiF", "$s4shop3addyySSF", "$s4shop3addyySiF"} {
		root.Children = append(root.Children, &Node{
			Location: Location{Image: im, Function: "add(_:)", Overload: overload}, PC: task.Addr(0x1000 * i), Count: 2, Self: 2,
		})
	}
	p := &Profile{Threads: []*Thread{{ID: 1, Roots: []*Node{root}}}}
	if merged := p.ByFunction().Threads[0].Roots[0].Children; len(merged) != 2 || merged[0].Count != 4 {
		t.Errorf("%d nodes, want one of 4 samples and one of 2", len(merged))
	}
	if times, _ := p.SelfTimes(); len(times) != 2 || times[0].Samples != 4 {
		t.Errorf("self times are %+v, want one of 4 samples and one of 2", times)
	}
}

// TestAlsoIsBounded: so many further addresses of a function are kept, each once.
func TestAlsoIsBounded(t *testing.T) {
	root := &Node{Location: Location{Function: "main"}, PC: 1, Count: 600}
	for i := range 600 {
		pc := task.Addr(0x1000 + i%300)
		root.Children = append(root.Children, &Node{Location: Location{Function: "f"}, PC: pc, Count: 1, Self: 1})
	}
	p := &Profile{Threads: []*Thread{{ID: 1, Roots: []*Node{root}}}}
	f := p.ByFunction().Threads[0].Roots[0].Children[0]
	if f.Count != 600 || len(f.Also) != maxAlso || f.Also[0] == f.Also[1] {
		t.Errorf("%d samples, %d further addresses", f.Count, len(f.Also))
	}
}
