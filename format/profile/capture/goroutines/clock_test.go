package goroutines

import (
	"testing"
	"time"

	"stacksnap/task"
)

// timed is a process of a system with a clock of its own.
type timed struct {
	task.Process
	info  task.Info
	pacer task.Pacer
}

func (p *timed) Info() task.Info                 { return p.info }
func (p *timed) Capabilities() task.Capabilities { return task.Capabilities{Pacer: p.pacer} }

// uptime is a clock that does not go on.
type uptime struct{ task.Pacer }

func (uptime) Now() time.Duration { return time.Hour }

// TestClock: how long goroutines wait is measured by the clock of a live target's system, and not
// known of a saved one.
func TestClock(t *testing.T) {
	live := task.Info{Live: true, OS: task.Darwin}
	for name, c := range map[string]struct {
		process timed
		want    time.Duration
	}{
		"live":            {timed{info: live, pacer: uptime{}}, time.Hour},
		"without a clock": {timed{info: live}, 0},
		"saved":           {timed{info: task.Info{OS: task.Darwin}, pacer: uptime{}}, 0},
	} {
		if got := clockOf(&c.process); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
