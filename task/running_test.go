package task

import (
	"context"
	"testing"
	"time"
)

// copying is a process whose system has copied thread 2 a moment ago.
type copying struct{ *counting }

func (p *copying) Capture(id ThreadID, t *Thread) error {
	t.Age = 0
	if id == 2 {
		t.Age = time.Microsecond
	}
	return p.counting.Capture(id, t)
}

// TestCopiesAreOfTheirMoment: a copy that was made before stays without what is seen
// of the target now, and without what its stack has elsewhere by now.
func TestCopiesAreOfTheirMoment(t *testing.T) {
	p := &copying{&counting{&resting{fakeProcess: sampledProcess(), described: map[ThreadID]int{}}, map[ThreadID]time.Duration{}}}
	c := &fakeClock{}
	n := 0
	for s, err := range Sample(context.Background(), p, c.options(Options{
		Interval: time.Millisecond, Count: 3, Suspend: SuspendNone, Watch: func() Watch { return Watch{Mark: 0x2000} },
	})) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		for i := range s.Threads {
			th := &s.Threads[i]
			isCopy := th.ID == 2
			if (th.Age > 0) != isCopy || th.Probe.HasMark == isCopy {
				t.Errorf("thread %d: age %v, sees a mark %v", th.ID, th.Age, th.Probe.HasMark)
			}
			if more := len(th.Stacks) > 1; n > 1 && more == isCopy {
				t.Errorf("thread %d: %d stacks", th.ID, len(th.Stacks))
			}
		}
		s.Want = map[ThreadID][]Addr{1: {0x5000}, 2: {0x5000}, 3: {0x5000}}
	}
	if n != 3 {
		t.Errorf("%d snapshots", n)
	}
}
