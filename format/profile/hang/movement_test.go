package hang

import (
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// TestMovement: a thread has answered when it was seen idle after it had run, and a stop makes no thread
// run.
func TestMovement(t *testing.T) {
	const stop = true
	in := func(kind waits.Kind, sleeps uint64, sp task.Addr) Observation {
		return Observation{Wait: kind, Call: "read", Place: Place{Call: 1, SP: sp, PC: 7}, Steady: true, Counters: task.Counters{Sleeps: sleeps, HasSleeps: true}}
	}
	runs := Observation{Wait: waits.None, Steady: true}
	stopped := Observation{Wait: waits.Stopped, Steady: true}
	for name, c := range map[string]struct {
		seen []any
		want Movement
		line bool
	}{
		"it does not move":             {[]any{in(waits.Other, 1, 1), in(waits.Other, 1, 1)}, Movement{Call: "read", Still: 2 * time.Second}, true},
		"in a run loop":                {[]any{in(waits.Loop, 1, 1), in(waits.Loop, 1, 1)}, Movement{Call: "read", Still: 2 * time.Second}, false},
		"it goes on":                   {[]any{in(waits.Loop, 1, 1), in(waits.Loop, 2, 1)}, Movement{Answered: true, Ran: true, Call: "read", Still: time.Second}, false},
		"it goes on after that":        {[]any{in(waits.Other, 1, 1), in(waits.Other, 1, 1), in(waits.Other, 2, 1)}, Movement{Answered: true, Ran: true, Call: "read", Still: time.Second}, true},
		"it runs":                      {[]any{runs, runs}, Movement{Ran: true}, false},
		"it ran at first":              {[]any{runs, in(waits.Loop, 2, 1)}, Movement{Answered: true, Ran: true, Call: "read", Still: time.Second}, false},
		"we stop it":                   {[]any{in(waits.Other, 1, 1), stop, in(waits.Other, 3, 1)}, Movement{Call: "read", Still: 3 * time.Second}, true},
		"it is late after a stop":      {[]any{in(waits.Other, 1, 1), stop, runs, in(waits.Other, 3, 1)}, Movement{Call: "read", Still: 4 * time.Second}, true},
		"it runs since a stop":         {[]any{in(waits.Loop, 1, 1), stop, runs}, Movement{Call: "read"}, false},
		"it moved in a stop":           {[]any{in(waits.Loop, 1, 1), stop, in(waits.Loop, 3, 2)}, Movement{Answered: true, Ran: true, Call: "read", Still: time.Second}, false},
		"somebody stops it":            {[]any{in(waits.Other, 1, 1), stopped, in(waits.Other, 3, 1)}, Movement{Call: "read", Still: 3 * time.Second}, true},
		"it is stopped from the start": {[]any{stopped, stopped}, Movement{}, false},
	} {
		var m movement
		line, at := "", time.Duration(0)
		for _, x := range c.seen {
			switch x := x.(type) {
			case Observation:
				x.At = at
				m.see(x, x.Wait == waits.Loop || x.Wait == waits.Other)
				line += m.line("the main thread", time.Second, 12)
			default:
				m.stopped()
			}
			at += time.Second
		}
		m.end(at)
		if m.Movement != c.want || strings.Contains(line, "has not run since the watch began") != c.line {
			t.Errorf("%s: %+v, want %+v; told %q", name, m.Movement, c.want, line)
		}
		if strings.Count(line, "stacksnap -p 12 shows") > 1 {
			t.Errorf("%s: told twice: %q", name, line)
		}
	}
}

// TestHangFromStart: a thread that was stuck when it was observed first may have been so for long.
func TestHangFromStart(t *testing.T) {
	for name, before := range map[string][]Observation{"from the start": nil, "later": {{Wait: waits.Loop, Place: Place{Call: 1}}}} {
		d := NewDetector(100 * ms)
		at := time.Duration(0)
		see := func(s Observation) Event {
			s.At, s.Steady, s.Counters.HasSleeps = at, true, true
			at += 25 * ms
			return d.See(s)
		}
		for _, s := range before {
			see(s)
		}
		event := Nothing
		for range 8 {
			event = max(event, see(Observation{Wait: waits.Lock, Place: Place{Call: 2}, Counters: task.Counters{Sleeps: 1}}))
		}
		if event != Stuck || d.FromStart() != (before == nil) {
			t.Errorf("%s: event %d, from the start %v", name, event, d.FromStart())
		}
	}
}
