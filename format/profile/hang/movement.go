package hang

import (
	"fmt"
	"time"

	"stacksnap/format/profile/waits"
)

// Movement says whether the thread was seen to run during the watch, other than because of our
// stops.
type Movement struct {
	Answered bool          // it was seen idle after it had run, so it has finished what it had to do
	Ran      bool          // it was seen running, or at another place than before
	Call     string        // the call that it waited in at the last observation; empty: none, or not known
	Still    time.Duration // how long it had not run at the end of the watch; 0: it ran
}

// movement keeps a Movement up to date.
type movement struct {
	Movement
	last      Observation
	seen      bool
	disturbed bool          // the target was stopped after last
	since     time.Duration // the first observation after which it has not run
	reported  bool          // the line was returned already
}

// stopped records that the target was stopped: a thread then runs a little, to return to its
// wait.
func (m *movement) stopped() { m.disturbed = true }

// see records an observation. idle is whether the detector takes the thread for idle.
func (m *movement) see(s Observation, idle bool) {
	switch {
	case s.Blind:
		return
	case s.Wait == waits.Stopped, m.disturbed && s.Wait == waits.None: // it may be returning to its wait
		m.disturbed, m.last.Wait = true, waits.None
		return
	case !m.seen:
		m.seen, m.since = true, s.At
	case m.disturbed && s.Place.isAt(m.last.Place):
	case !notRun(m.last, s):
		m.Ran, m.since = true, s.At
	}
	m.disturbed, m.last, m.Call = false, s, s.Call
	m.Answered = m.Answered || m.Ran && idle
}

// line returns, once, the line to report about a thread that has not run for the threshold
// although its wait is not that of a run loop. Otherwise it returns "".
func (m *movement) line(whose string, threshold time.Duration, pid int) string {
	s := &m.last
	if m.reported || m.Ran || !m.seen || s.At-m.since < threshold || s.Wait != waits.Other && s.Wait != waits.Lock {
		return ""
	}
	m.reported = true
	return fmt.Sprintf("%s has not run since the watch began, %v ago%s: whether it hangs, we can't know; stacksnap -p %d shows its stack",
		whose, round(s.At-m.since), waitsIn(m.Call), pid)
}

// end records the end of the watch.
func (m *movement) end(now time.Duration) {
	if m.seen && m.last.Wait != waits.None {
		m.Still = now - m.since
	}
}

// waitsIn names the call that a thread waits in.
func waitsIn(name string) string {
	if name == "" {
		return ""
	}
	return ", and waits in " + name
}

// isAt reports whether two places are known and their calls were made at the same place in the
// stack and the code. The call itself may differ: one that a stop interrupts may continue as
// another one.
func (p Place) isAt(q Place) bool { return p != Place{} && p.SP == q.SP && p.PC == q.PC }
