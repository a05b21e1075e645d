//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// TestStoppedTime prints what the time is made of for which a process stands: each
// kind of call, with how many of them, and our own code; and what the same calls
// take of a program that does nothing else. All are means of one stop.
func TestStoppedTime(t *testing.T) {
	program, tests := compile(t, "threads.c", cFlags...), machTests(t)
	bare := compile(t, "stops.c", "-O2")
	live(t, 3*time.Minute, func(r *room) {
		r.Log("| who | | stopped | task_suspend | task_threads | thread_get_state | reads | regions | other calls | pauses | task_resume | the rest |")
		for _, count := range []int{1, 8, 64} {
			p := r.target(program, strconv.Itoa(count))
			stops := either(100, 20)
			r.Setenv("STACKSNAP_LIVE_STOPS", fmt.Sprint(p.pid, " ", stops))
			for _, args := range [][]string{{tests, "-test.run", "^TestLiveStoppedTime$"}, {bare, fmt.Sprint(p.pid), fmt.Sprint(stops)}} {
				res := r.start(args...).wait()
				row := regexp.MustCompile(`(?m)^\| .*$`).FindString(res.out)
				r.Log(row)
				if res.code != 0 || row == "" {
					r.Errorf("exit code %d: %s%s", res.code, tail(res.out), tail(res.err))
				}
			}
			p.kill()
		}
	})
}
