package task

import (
	"context"
	"testing"
	"time"
)

// resting is a process whose threads do not run once they were captured. At
// first each is described as running.
type resting struct {
	*fakeProcess
	described map[ThreadID]int
}

func (p *resting) AllowSuspend(Suspension) error { return nil }

func (p *resting) Idle(ThreadID, *Thread) bool { return true }

func (p *resting) Describe(id ThreadID, t *Thread) error {
	p.described[id]++
	t.State = Running
	if p.described[id] > 2 {
		t.State = Sleeping
	}
	return nil
}

func (p *resting) CaptureEach(_ Suspension, ids []ThreadID, stands func(int), runs func(int, time.Duration, error)) error {
	p.stopped = true
	for i := range ids {
		stands(i)
		runs(i, time.Microsecond, nil)
	}
	p.stopped = false
	return nil
}

// TestStateOfThreadsThatRest: a thread that has just been let go looks as if it
// ran. As long as it rests it is described again, until it no longer does.
func TestStateOfThreadsThatRest(t *testing.T) {
	p := &resting{sampledProcess(), map[ThreadID]int{}}
	c := &fakeClock{}
	n := 0
	for s, err := range Sample(context.Background(), p, c.options(Options{Interval: time.Millisecond, Count: 10})) {
		if err != nil {
			t.Fatal(err)
		}
		want := Running
		if n++; n > 2 {
			want = Sleeping
		}
		for i := range s.Threads {
			if s.Threads[i].State != want {
				t.Errorf("snapshot %d: %v, want %v", n, s.Threads[i].State, want)
			}
		}
	}
	if p.described[1] != 3 {
		t.Errorf("described %d times, want 3", p.described[1])
	}
}
