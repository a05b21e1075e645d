package profile

import (
	"testing"

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
