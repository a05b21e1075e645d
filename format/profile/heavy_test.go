package profile

import (
	"testing"
	"time"

	"stacksnap/task"
)

// TestSelfTimesOfNoFile: generated code is one row, however many addresses it
// has, and so is that of a file in which neither names nor starts of functions are known.
func TestSelfTimesOfNoFile(t *testing.T) {
	image := &Image{Path: "/bin/stripped"}
	leaf := func(pc, n int, im *Image) *Node {
		return &Node{Location: Location{Image: im, Offset: uint64(pc)}, PC: task.Addr(pc), Count: n, Self: n}
	}
	p := &Profile{Threads: []*Thread{{Roots: []*Node{
		leaf(0x1000, 3, nil), leaf(0x1010, 4, nil), leaf(0x2000, 2, image), leaf(0x3010, 1, image),
	}}}}
	times, total := p.SelfTimes()
	if len(times) != 2 || total != 10 || times[0].Samples != 7 || times[0].Image != nil || times[1].Samples != 3 || !times[1].Several {
		t.Errorf("%d samples: %+v", total, times)
	}
}

// TestHeaviest: the stack ends where a frame was innermost in more samples than any
// branch below it has; by CPU time it takes another branch.
func TestHeaviest(t *testing.T) {
	frame := func(name string, count, self int, onCPU time.Duration, calls ...*Node) *Node {
		return &Node{Location: Location{Function: name}, Count: count, Self: self, Spent: Spent{OnCPU: onCPU}, Children: calls}
	}
	th := &Thread{Roots: []*Node{frame("main", 20, 0, 0,
		frame("wait", 11, 0, 0, frame("sleep", 11, 11, time.Millisecond)),
		frame("spin", 9, 5, 50*time.Millisecond, frame("clock", 4, 4, 40*time.Millisecond)))}}
	names := func(stack []*Node) (all string) {
		for _, n := range stack {
			all += n.Function + " "
		}
		return all
	}
	if got := names(th.Heaviest()); got != "main wait sleep " {
		t.Errorf("heaviest: %s", got)
	}
	if got := names(th.Busiest()); got != "main spin " {
		t.Errorf("busiest: %s", got)
	}
	spin := &Thread{Roots: th.Roots[0].Children[1:]}
	if got := names(spin.Heaviest()); got != "spin " {
		t.Errorf("heaviest with a light branch: %s", got)
	}
	spin.Roots[0].Self, spin.Roots[0].Children[0].Count = 4, 4
	if got := names(spin.Heaviest()); got != "spin clock " {
		t.Errorf("heaviest with an equal branch: %s", got)
	}
	for _, n := range spin.Nodes() {
		n.Spent = Spent{}
	}
	if got := names(spin.Busiest()); got != "spin clock " {
		t.Errorf("busiest without times: %s", got)
	}
}
