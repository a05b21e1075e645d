package command

import (
	"testing"
	"time"

	"stacksnap/format/profile/hang"
	"stacksnap/format/profile/hangreport"
)

// answered is of a watch whose thread has answered.
func answered(c hang.Coverage) hang.Coverage {
	c.Answered = true
	return c
}

// still is of a watch whose thread has not run for a time.
func still(d time.Duration, call string) (c hang.Coverage) {
	c.Still, c.Call = d, call
	return c
}

func TestWatched(t *testing.T) {
	tests := []struct {
		elapsed time.Duration
		options hang.Options
		made    map[hangreport.Reason]int
		covered hang.Coverage
		want    string
	}{
		{1234567 * time.Microsecond, hang.Options{Threshold: time.Second}, nil, answered(hang.Coverage{}), "1.2s: no hang of 1s or more"},
		{90*time.Second + time.Millisecond, hang.Options{Threshold: time.Second, Every: time.Minute},
			map[hangreport.Reason]int{hangreport.Hang: 1, hangreport.Periodic: 1200}, hang.Coverage{}, "1m30s: 1 hang of 1s or more, 1,200 periodic reports"},
		{1500 * time.Microsecond, hang.Options{Every: time.Minute}, nil, hang.Coverage{}, "2ms: no periodic report"},
		{time.Minute, hang.Options{Threshold: time.Second}, nil, answered(hang.Coverage{Unseen: 2345 * time.Millisecond, Gaps: 1}),
			"1m0s: no hang of 1s or more; not observed for 2.3s of it, at once: hangs then are not known"},
		{time.Minute, hang.Options{Threshold: time.Second}, map[hangreport.Reason]int{hangreport.Hang: 2}, hang.Coverage{Unseen: 12 * time.Second, Gaps: 3},
			"1m0s: 2 hangs of 1s or more; not observed for 12s of it, in 3 pieces: hangs then are not known"},
		{time.Minute, hang.Options{Every: time.Minute}, nil, hang.Coverage{Unseen: time.Second, Gaps: 1}, "1m0s: no periodic report"},
		{time.Minute, hang.Options{Threshold: time.Second}, nil, still(8*time.Second, "read"),
			"1m0s: the main thread has not run for 8s, in read; whether it hung before, we can't know"},
		{time.Minute, hang.Options{Threshold: time.Second, Thread: 12}, map[hangreport.Reason]int{hangreport.Deadlocked: 1}, still(8*time.Second, ""),
			"1m0s: threads were in a deadlock from the start; thread 12 has not run for 8s; whether it hung before, we can't know"},
		{time.Minute, hang.Options{Threshold: time.Second}, nil, hang.Coverage{},
			"1m0s: the main thread was not seen idle; whether it hangs, we can't know"},
	}
	for _, test := range tests {
		if got := Watched(test.elapsed, &test.options, test.made, test.covered); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
