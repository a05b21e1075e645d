//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestQueues: threads are told with label and number of the queues that they work
// for, as the program knows them.
func TestQueues(t *testing.T) {
	program := compile(t, "queues.c", cFlags...)
	live(t, time.Minute, func(r *room) {
		p := r.target(program)
		var want []string
		for _, m := range regexp.MustCompile(`(?m)^queue (\S+ \d+)$`).FindAllStringSubmatch(p.output(0), -1) {
			want = append(want, m[1])
		}
		slices.Sort(want)
		if len(slices.Compact(slices.Clone(want))) != 3 {
			r.Fatalf("queues: %q", want)
		}
		rep := r.look(p)
		var got []string
		for i := range rep.Threads {
			th := &rep.Threads[i]
			if th.Queue != "" {
				got = append(got, fmt.Sprint(th.Queue, " ", th.QueueSerial))
			}
			if th.Main && (th.Queue != "com.apple.main-thread" || th.QueueSerial != 1) {
				r.Errorf("the main thread works for %q, %d", th.Queue, th.QueueSerial)
			}
		}
		slices.Sort(got)
		r.Logf("%q", got)
		if !slices.Equal(got, want) {
			r.Errorf("queues %q, want %q", got, want)
		}
	})
}
