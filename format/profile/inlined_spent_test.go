package profile

import (
	"testing"
	"time"

	"stacksnap/task"
)

// TestSpentOfInlined: the time belongs to the innermost of the calls that are inlined at
// an address, as its samples and their states do, and to the function when they are counted as it.
func TestSpentOfInlined(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	b := NewBuilder(task.Info{PID: 1, OS: task.Linux}, "test")
	m := mapOf(&f.file, "/bin/demo", load)
	m.Images[0].File = f
	for i := range 3 {
		at := time.Duration(i) * 10 * ms
		th := task.Thread{ID: 1, State: task.Running, Schedule: task.Schedule{Ran: time.Second + at}}
		b.Add(&task.Snapshot{Time: time.Unix(1000, 0).Add(at), Threads: []task.Thread{th}}, []Stack{walk(0x10, 0x150)}, m)
	}
	p := b.Profile()
	for name, p := range map[string]*Profile{"inlined calls": p, "without": p.WithoutInlined()} {
		for _, n := range p.Threads[0].Nodes() {
			want, ran := Spent{}, 0
			if n.Self > 0 {
				want.OnCPU, ran = 20*ms, 3
			}
			if n.Spent != want || (n.States == nil) != (ran == 0) || ran > 0 && n.States[task.Running] != ran {
				t.Errorf("%s: %s has %v of %d samples in states %v, want %v", name, n.Function, n.Spent, n.Self, n.States, want)
			}
		}
	}
}
