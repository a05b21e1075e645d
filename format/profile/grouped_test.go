package profile

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

// TestGroupByProcess puts together what all threads have, each of those that are alike.
func TestGroupByProcess(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		a, b := random(r), random(r)
		p := viewable(a, b)
		v := p.GroupBy(ByProcess)
		want := maps.Clone(a)
		for stack, n := range b {
			want[stack] += n
		}
		th := v.Threads[0]
		if got := seen(t, th); !maps.Equal(got, want) || len(v.Threads) != 1 || th.Samples != want.total() || th.States[task.Running] != want.total() {
			t.Fatalf("%v and %v: %v, %+v", a, b, got, th)
		}
		if v.NumThreads() != 2 || v.Straight() != p || len(th.Together.Threads) != 2 || th.ID != 0 {
			t.Fatalf("%+v", th.Together)
		}
	}
}

// TestGroupFacts adds up times and samples, those of threads that are alike as often as
// there are such; times are of these together already.
func TestGroupFacts(t *testing.T) {
	p := viewable(stacks{"m;a": 2}, stacks{"m;a": 3, "m;b": 1}, stacks{"q": 1})
	one, two, three := p.Threads[0], p.Threads[1], p.Threads[2]
	one.Queue, three.Queue = "q", "other"
	one.User, one.System, one.Used, one.Spent, one.First, one.Last = 1, 2, 3, Spent{4, 5, 6}, 7, 9
	two.Same, two.Empty, two.Err, two.First, two.Last = []ThreadName{{ID: 8, Name: "eight"}}, 2, "why", 5, 8
	two.User, two.Queue, two.Name = 10, "q", "two"
	two.Samples += 2
	v := p.GroupBy(ByQueue)
	if len(v.Threads) != 2 || v.Threads[1].Queue != "other" || v.View.By != ByQueue {
		t.Fatalf("%+v", v.Threads)
	}
	got := *v.Threads[0]
	if s := outline(got.Roots); s != "m+0 10/0 (a+0 8/8, b+0 2/2)" {
		t.Error(s)
	}
	got.Roots = nil
	want := Thread{
		Queue: "q", User: 11, System: 2, Used: 3, Spent: Spent{4, 5, 6}, Samples: 2 + 2*6, First: 5, Last: 9, Empty: 4, Err: "why",
		States:   States{task.StateUnknown: 2 * 2, task.Running: 2 + 2*4}, // of samples whose state was not told
		Together: &Together{By: ByQueue, Queue: "q", Threads: []ThreadName{{ID: 1}, {ID: 2, Name: "two"}, {ID: 8, Name: "eight"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestGroupByState splits the samples of a thread, also those of which no frame is
// known, and time where it can be of one state alone.
func TestGroupByState(t *testing.T) {
	leaf := func(name string, spent Spent, states States) *Node {
		n := &Node{Location: Location{Function: name}, States: &states, Spent: spent}
		for _, c := range states {
			n.Self += c
		}
		n.Count = n.Self
		return n
	}
	busy := leaf("busy", Spent{OnCPU: 5, Queued: 2, Blocked: 3}, States{task.Running: 4, task.Sleeping: 1})
	disk := leaf("disk", Spent{OnCPU: 1, Blocked: 9}, States{task.Running: 1, task.Sleeping: 2, task.Uninterruptible: 2})
	root := &Node{Location: Location{Function: "main"}, Count: 10, Children: []*Node{busy, disk}}
	p := &Profile{Snapshots: 12, Threads: []*Thread{{
		ID: 3, Samples: 12, Empty: 2, States: States{task.Running: 6, task.Sleeping: 4, task.Uninterruptible: 2}, Roots: []*Node{root},
	}, {
		ID: 4, State: task.Sleeping, Samples: 1, Roots: viewable(stacks{"main;busy": 1}).Threads[0].Roots,
	}}}
	p.Threads[1].Roots[0].Children[0].States = nil
	v := p.GroupBy(ByState)
	var got []string
	spent := map[task.State]Spent{}
	for _, g := range v.Threads {
		got = append(got, g.State.String()+" "+outline(g.Roots))
		if sum := g.Empty + g.Roots[0].Count; sum != g.Samples || g.States[g.State] != g.Samples {
			t.Errorf("%v: %d samples, %d of them empty, %v", g.State, g.Samples, g.Empty, g.States)
		}
		spent[g.State] = g.Spent
	}
	want := []string{
		"runnable main+0 5/0 (busy+0 4/4, disk+0 1/1)",
		"sleeping main+0 4/0 (busy+0 2/2, disk+0 2/2)",
		"uninterruptible main+0 2/0 (disk+0 2/2)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantSpent := map[task.State]Spent{task.Running: {OnCPU: 6, Queued: 2}, task.Sleeping: {Blocked: 3}, task.Uninterruptible: {}}
	if diff := cmp.Diff(wantSpent, spent); diff != "" {
		t.Error(diff)
	}
	if v.Threads[0].Together.Threads[0].ID != 3 || len(v.Threads[1].Together.Threads) != 2 || v.NumThreads() != 2 {
		t.Errorf("%+v", v.Threads[1].Together)
	}
}

// TestStatesOfNodes: the builder counts them with the samples, also those that it adds
// at once, and whoever merges nodes adds them up.
func TestStatesOfNodes(t *testing.T) {
	b := NewBuilder(task.Info{PID: 1}, "test")
	m := mapOf(demo, "/demo", load)
	at := time.Unix(1000, 0)
	for _, state := range []task.State{task.Running, task.Sleeping, task.Sleeping} {
		b.Add(snapshot(task.Thread{ID: 1, State: state}), []Stack{walk(0x10, 0x110)}, m)
	}
	b.AddChanged(&task.Snapshot{Time: at, Threads: []task.Thread{{ID: 1, State: task.Sleeping}}}, m, nil, nil)
	b.Add(snapshot(task.Thread{ID: 1, State: task.Running}), []Stack{walk(0x10, 0x120)}, m)
	p := b.Profile()
	leaf := p.ByFunction().Threads[0].Roots[0].Children[0]
	if want := (States{task.Running: 2, task.Sleeping: 3}); leaf.Self != 5 || leaf.States == nil || *leaf.States != want {
		t.Errorf("%d samples in states %v, want %v", leaf.Self, leaf.States, want)
	}
	if p.Threads[0].Roots[0].States != nil {
		t.Error("main was never the innermost")
	}
}
