package task

import (
	"testing"
	"time"
)

// tidyProcess is one that says when it was told to stop and to run on, and has more
// to do after that.
type tidyProcess struct {
	fakeProcess
	ThreadStopper
	ordered, released time.Time
}

func (p *tidyProcess) Capabilities() Capabilities { return Capabilities{Stopper: p} }
func (p *tidyProcess) LastStop() Stop             { return Stop{p.ordered, p.released} }

func TestStoppedUntilReleased(t *testing.T) {
	ordered := time.Now().Add(time.Hour) // so that no clock can make the same
	for _, tt := range []struct {
		name  string
		p     tidyProcess
		exact time.Duration
	}{
		{"both are told", tidyProcess{ordered: ordered, released: ordered.Add(7 * time.Millisecond)}, 7 * time.Millisecond},
		{"released in an earlier stop", tidyProcess{ordered: ordered, released: ordered.Add(-time.Millisecond)}, 0},
	} {
		tt.p.before = []ThreadID{1}
		tt.p.during = tt.p.before
		var s Snapshot
		if err := Take(&tt.p, &s); err != nil {
			t.Fatal(err)
		}
		if tt.exact != 0 && (s.Stopped != tt.exact || s.LongestStop != tt.exact || s.Stops != 1) {
			t.Errorf("%s: stopped %v, longest %v, %d stops", tt.name, s.Stopped, s.LongestStop, s.Stops)
		}
		if tt.exact == 0 && s.Stopped == -time.Millisecond {
			t.Errorf("%s: stopped %v", tt.name, s.Stopped)
		}
	}
}
