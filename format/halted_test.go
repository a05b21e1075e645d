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
