package capture

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestFirstStopTells what threads did: after it they are busy with having been
// stopped.
func TestFirstStopTells(t *testing.T) {
	first := task.Thread{ID: 1, State: task.Running, OnCPUState: task.OnCPU, Processor: 3, User: 5}
	again := task.Snapshot{Threads: []task.Thread{{ID: 1, State: task.Running, OnCPUState: task.Queued, User: 7}, {ID: 2, OnCPUState: task.Queued}}}
	keepFacts(&again, &task.Snapshot{Threads: []task.Thread{first}})
	if got := &again.Threads[0]; got.OnCPUState != task.OnCPU || got.Processor != 3 || got.User != 5 || again.Threads[1].OnCPUState != task.Queued {
		t.Errorf("%+v", again.Threads)
	}
}

// at is a thread in a state, at a place.
func at(state task.State, pc, sp uint64) task.Thread {
	t := task.Thread{ID: 1, State: state, Registers: task.Registers{Arch: task.AMD64}}
	t.Registers.Set(task.AMD64.PC(), pc)
	t.Registers.Set(task.AMD64.SP(), sp)
	return t
}

// TestStateIsThatOfTheStack: what a thread did before the first stop is told with
// the stack of a later one only if it has done nothing since but being stopped.
func TestStateIsThatOfTheStack(t *testing.T) {
	const run, sleep = task.Running, task.Sleeping
	for name, c := range map[string]struct {
		then, now task.Thread
		want      task.State
	}{
		"on its way back":        {at(sleep, 0x1002, 0x7000), at(run, 0x1002, 0x7000), sleep},
		"about to make the call": {at(sleep, 0x1002, 0x7000), at(run, 0x1000, 0x7000), sleep},
		"woken up":               {at(sleep, 0x1002, 0x7000), at(run, 0x1008, 0x7000), run},
		"returned":               {at(sleep, 0x1002, 0x7000), at(run, 0x1002, 0x7008), run},
		"gone to sleep":          {at(run, 0x1002, 0x7000), at(sleep, 0x1002, 0x7000), sleep},
		"at work":                {at(run, 0x1002, 0x7000), at(run, 0x2002, 0x7100), run},
		"unread":                 {at(sleep, 0x1002, 0x7000), task.Thread{ID: 1, State: run}, sleep},
		"unread then":            {task.Thread{ID: 1, State: sleep}, at(run, 0x1002, 0x7000), sleep},
		"asleep in a file":       {at(run, 0x1002, 0x7000), at(task.Uninterruptible, 0x1002, 0x7000), task.Uninterruptible},
	} {
		if c.then.State == run {
			c.then.OnCPUState = task.Queued
		}
		s := task.Snapshot{Threads: []task.Thread{c.now}}
		keepFacts(&s, &task.Snapshot{Threads: []task.Thread{c.then}})
		got := &s.Threads[0]
		if got.State != c.want || (got.OnCPUState == task.Queued) != (c.then.State == run && c.now.State == run) {
			t.Errorf("%s: %v, %v", name, got.State, got.OnCPUState)
		}
	}
}

// TestInnermostOfGeneratedCode is the same all over a region, so that a hang there
// is not one phase after another.
func TestInnermostOfGeneratedCode(t *testing.T) {
	s := Series{shot: &shot{target: &target{tracker: &tracker{images: images.NewMap(nil)}}}}
	for pc, want := range map[task.Addr]string{
		0x7f0000001000: "code of no file, near 0x7f0000001000",
		0x7f0000001fff: "code of no file, near 0x7f0000001000",
		0x7f0000002000: "code of no file, near 0x7f0000002000",
	} {
		if got := s.Innermost(&profile.Stack{Frames: []unwind.Frame{{PC: pc}}}); got != want {
			t.Errorf("%v: %q, want %q", pc, got, want)
		}
	}
	if got := s.Innermost(&profile.Stack{}); got != "" {
		t.Errorf("of no stack: %q", got)
	}
}

// ending is a process whose threads can't be listed once it has ended.
type ending struct {
	*macLike
	ended bool
}

func (p *ending) Threads() ([]task.ThreadID, error) {
	if p.ended {
		return nil, &task.ExitedError{PID: 1}
	}
	return []task.ThreadID{1, 2}, nil
}

// TestSeriesOfAnEndedProcess: the stacks of the last snapshot are not added again.
func TestSeriesOfAnEndedProcess(t *testing.T) {
	p := &ending{macLike: newMacLike()}
	s, err := NewSeries(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	if err := s.Take(nil); err != nil || s.Profile().Snapshots != 1 {
		t.Fatalf("%v, %d snapshots", err, s.Profile().Snapshots)
	}
	p.ended = true
	if err := s.Take(nil); err == nil || s.Profile().Snapshots != 1 {
		t.Errorf("%v, %d snapshots of one", err, s.Profile().Snapshots)
	}
	s.Begin()
	if err := s.Take(nil); err == nil || len(s.Profile().Threads) != 0 {
		t.Errorf("%v, %d threads of an ended process", err, len(s.Profile().Threads))
	}
	if _, _, ok := s.Thread(1); ok {
		t.Error("a thread of the snapshot before")
	}
}
