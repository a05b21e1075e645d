package format

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

func TestHalted(t *testing.T) {
	thread := func(samples, stopped int) *profile.Thread {
		th := &profile.Thread{Samples: samples}
		th.States[task.Stopped] = stopped
		return th
	}
	for _, test := range []struct {
		threads []*profile.Thread
		want    int
	}{
		{nil, 0},
		{[]*profile.Thread{thread(10, 0)}, 0},
		{[]*profile.Thread{thread(10, 10), thread(10, 10)}, 10},
		{[]*profile.Thread{thread(10, 4), thread(10, 3)}, 3},
		{[]*profile.Thread{thread(10, 10), thread(2, 0)}, 10}, // a thread that came later, or ended
	} {
		p := &profile.Profile{Snapshots: 10, Threads: test.threads}
		if n := halted(p); n != test.want || (haltedNote(p) != "") != (n > 0) {
			t.Errorf("%d of 10, want %d: %q", n, test.want, haltedNote(p))
		}
	}
}

func TestHalter(t *testing.T) {
	for want, tracer := range map[string]*task.Tracer{
		"a signal or a debugger": nil, "gdb [812]": {PID: 812, Name: "gdb"}, `\x1b[2J [1]`: {PID: 1, Name: "\x1b[2J"}, "??? [7]": {PID: 7},
	} {
		p := &profile.Profile{Snapshots: 1, Target: task.Info{Tracer: tracer}, Threads: []*profile.Thread{{Samples: 1, States: profile.States{task.Stopped: 1}}}}
		if got := Summary(p); got != "stopped, by "+want+": nothing runs until it goes on" {
			t.Errorf("%+v: %q", tracer, got)
		}
		if got := haltedNote(p); got != "the target was stopped, by "+want+": this is where it stands until it goes on" {
			t.Errorf("%+v: %q", tracer, got)
		}
	}
}

func TestUninterruptible(t *testing.T) {
	th := &profile.Thread{ID: 1, Main: true, Samples: 100}
	th.States[task.Uninterruptible] = 72
	p := &profile.Profile{Snapshots: 100, Threads: []*profile.Thread{th}}
	const line = "uninterruptible in 72 % of the samples: main thread"
	if got := Summary(p); got != line {
		t.Errorf("%q", got)
	}
	th.Roots = []*profile.Node{{Location: profile.Location{Function: "touches", Image: &profile.Image{Path: "/bin/it"}}, Self: 100}}
	if got := Summary(p); got != line+", in touches (it)" {
		t.Errorf("%q", got)
	}
}
