package pick

import (
	"strings"
	"testing"
	"time"

	"stacksnap/task"
)

// seen is a process at a look: when it was started, and its CPU time, in seconds.
func seen(pid int, start, cpu float64, stuck bool) chosen {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return chosen{Candidate: task.Candidate{PID: pid}, Details: task.Details{
		Start: time.Unix(0, 0).Add(seconds(start)), CPU: seconds(cpu), Stuck: stuck,
	}}
}

func TestBusiest(t *testing.T) {
	before := []chosen{
		seen(1, 0, 50, false), seen(2, 0, 5, false), seen(3, 0, 1, false), seen(4, 0, 1, true), seen(5, 0, 1, true), seen(6, 0, 90, false), seen(7, 0, -1, false),
	}
	before[6].CPU = -1
	after := []chosen{
		seen(1, 0, 50, false), seen(2, 0.01, 5.5, false), seen(3, 0, 1.9, false), seen(4, 0, 1, true), seen(5, 0, 1, false),
		seen(6, 30, 95, false), // another process by now
		seen(7, 0, 3, false), seen(8, 0, 3, true),
	}
	got := rankByLoad(before, after, time.Second)
	for i, want := range []struct {
		pid  int
		load string
	}{{4, "stuck"}, {3, "90%"}, {2, "50%"}} {
		if len(got) != 3 || got[i].PID != want.pid || got[i].load != want.load {
			t.Fatalf("%+v", got)
		}
	}
	idle := rankByLoad(after, after[:3], time.Second)
	if len(idle) != 3 || idle[0].PID != 1 || idle[0].load != "" || idle[1].PID != 2 {
		t.Errorf("none is busy: %+v", idle)
	}
	var many []chosen
	for pid := range 20 {
		many = append(many, seen(pid, 0, float64(pid), false))
	}
	if got := rankByLoad(many, many, time.Second); len(got) != maxBusiest || got[0].PID != 19 {
		t.Errorf("%d of many, the first %d", len(got), got[0].PID)
	}
	if got := rankByLoad(nil, nil, time.Second); len(got) != 0 {
		t.Error(got)
	}
}

func TestOffersTitle(t *testing.T) {
	idle, busy := []chosen{{}}, []chosen{{load: "3%"}}
	for _, c := range []struct {
		offered []chosen
		root    bool
		want    string
	}{{busy, true, "The busiest processes ("}, {busy, false, "The busiest processes, of yours ("}, {idle, false, "Nothing is busy; the processes with most CPU time so far, of yours ("}} {
		if got := offersTitle(c.offered, c.root); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
