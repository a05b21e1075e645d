//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHangs: of a main thread that is stuck on a schedule every hang is told, and
// nothing else, also while it is idle; or the watch says that it could not look.
func TestHangs(t *testing.T) {
	program := compile(t, "hangs.c", cFlags...)
	for _, loop := range []string{"mach_msg", "kevent", "dispatch_sync"} {
		t.Run(loop, func(t *testing.T) {
			liveIn(t, likeXNU(), either(10*time.Minute, 2*time.Minute), func(r *room) {
				count, least, most := either(20, 4), either("400", "3000"), either("2000", "4000")
				p := r.target(program, loop, fmt.Sprint(count), least, most)
				watch := r.start(built.stacksnap, "-p", fmt.Sprint(p.pid), "--hang", "250ms", "-f", "jsonl")
				for !strings.Contains(p.output(0), "over\n") {
					if time.Now().After(r.until) || watch.hasEnded() {
						r.Fatalf("the schedule is not over: %s%s", p.output(0), watch.output(1))
					}
					time.Sleep(50 * time.Millisecond)
				}
				time.Sleep(either(2*time.Minute, 5*time.Second)) // idle: nothing may be told
				watch.signal(syscall.SIGINT)
				res := watch.wait()
				told := r.hangs(res.out)
				r.Logf("%d hangs, %d told: %v; %s", count, len(told), told, lastLine(res.err))
				// Between two hangs it is idle for 1.5 s. On a machine that is too busy
				// for a look in that time the two are one to us.
				if unseen := strings.Contains(res.err, "; not observed for "); len(told) < count && !unseen {
					r.Errorf("%d hangs of %d were missed without a word: %s\n%s", count-len(told), count, p.output(0), res.err)
				}
				// Where the target has to wait long for a processor, that is a hang, too.
				if least := either(count, 1); len(told) < least || len(told) > count && timing() {
					r.Errorf("%d hangs were told, %d were: %s\n%s", len(told), count, p.output(0), res.err)
				}
			})
		})
	}
}

// hangs are the durations that a watch told.
func (r *room) hangs(out string) (told []time.Duration) {
	r.Helper()
	for line := range strings.Lines(out) {
		var h struct {
			Reason   string
			Duration int64 `json:"duration_ns"`
		}
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			r.Fatalf("no line of a watch: %v: %s", err, tail(line))
		}
		if h.Reason == "hang" {
			told = append(told, time.Duration(h.Duration).Round(time.Millisecond))
		}
	}
	return told
}
