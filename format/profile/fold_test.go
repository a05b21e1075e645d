package profile

import (
	"slices"
	"testing"

	"stacksnap/task"
)

// TestFoldIdle puts together what is alike but for where its images are, and nothing that
// runs, waits for somebody, or is elsewhere.
func TestFoldIdle(t *testing.T) {
	one := func(pid int, change func(*Profile)) *Profile {
		load := task.Addr(0x1000 * pid)
		im := &Image{Path: "/bin/sleep", Load: load}
		n := &Node{Location: Location{Image: im, Function: "sleeps", Offset: 4}, PC: load + 0x104, Count: 1, Self: 1}
		p := &Profile{
			Target:  task.Info{PID: pid, Name: "sleep", Path: "/bin/sleep"},
			Threads: []*Thread{{ID: task.ThreadID(pid), State: task.Sleeping, Samples: 1, Roots: []*Node{n}, Waits: []Waited{{Wait: Wait{Call: "nanosleep", Addr: load}}}}},
		}
		if change != nil {
			change(p)
		}
		return p
	}
	all := []*Profile{
		one(1, nil), one(2, nil),
		one(3, func(p *Profile) { p.Threads[0].State = task.Running }), one(4, func(p *Profile) { p.Threads[0].State = task.Running }),
		one(5, func(p *Profile) { p.Threads[0].Roots[0].PC++ }),
		one(6, func(p *Profile) { p.Threads[0].Roots[0].Offset++ }),
		one(7, func(p *Profile) { p.Threads[0].Waits[0].Call = "pause" }),
		one(8, func(p *Profile) { p.Threads[0].Waits[0].Peer.PID = 1 }), one(9, func(p *Profile) { p.Threads[0].Waits[0].Peer.PID = 1 }),
		one(10, func(p *Profile) { p.Target.Path = "/sbin/sleep" }),
		one(11, func(p *Profile) { p.Deadlocks = []Deadlock{{}} }), one(12, func(p *Profile) { p.Deadlocks = []Deadlock{{}} }),
		one(13, func(p *Profile) { p.Threads[0].Waits[0].Owner = 2 }), one(14, func(p *Profile) { p.Threads[0].Waits[0].Owner = 2 }),
		one(15, func(p *Profile) { p.Threads[0].Err = "not read" }),
		one(16, nil),
	}
	var alone []int
	for _, a := range FoldIdle(all) {
		if a.Target.PID == 1 {
			if len(a.Others) != 2 || a.Others[0] != all[1] || a.Others[1] != all[15] {
				t.Errorf("like the first: %d", len(a.Others))
			}
			continue
		}
		if alone = append(alone, a.Target.PID); len(a.Others) > 0 {
			t.Errorf("%d has %d like it", a.Target.PID, len(a.Others))
		}
	}
	if want := []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; !slices.Equal(alone, want) {
		t.Errorf("alone are %d, want %d", alone, want)
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
