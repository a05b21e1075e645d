package profile

import "testing"

func TestRawNames(t *testing.T) {
	leaf := &Node{Location: Location{Function: "a::parse(int)", Raw: "_ZN1a5parseEi", Overload: "i"}, Self: 2}
	plain := &Node{Location: Location{Function: "of a JIT compiler"}, Self: 1}
	root := &Node{Location: Location{Function: "main", Raw: "main"}, Children: []*Node{leaf, plain}}
	p := &Profile{Threads: []*Thread{{ID: 7, Roots: []*Node{root}}}}
	th := p.WithRawNames().Threads[0]
	if got := th.Roots[0]; th.ID != 7 || got.Function != "main" || len(got.Children) != 2 {
		t.Fatalf("%+v", got)
	}
	if got := th.Roots[0].Children[0]; got.Function != "_ZN1a5parseEi" || got.Overload != "" || got.Self != 2 {
		t.Errorf("%+v", got)
	}
	if got := th.Roots[0].Children[1]; got.Function != "of a JIT compiler" {
		t.Errorf("%+v", got)
	}
	if leaf.Function != "a::parse(int)" || leaf.Overload != "i" {
		t.Errorf("the profile was changed: %+v", leaf)
	}
}
