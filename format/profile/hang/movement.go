package hang

import (
	"fmt"
	"time"

	"stacksnap/format/profile/waits"
)

// Movement says whether the thread was seen to run during the watch, but for stops.
type Movement struct {
	Answered bool          // it was seen idle after it had run: what it had to do it has done
	Ran      bool          // it was seen to run, or elsewhere than before
	Call     string        // that it waited in when it was observed last; empty: in none that is known
	Still    time.Duration // at the end of the watch: for how long it had not run; 0: it did
}

// movement keeps a Movement up to date.
type movement struct {
	Movement
	last      Observation
	seen      bool
	disturbed bool          // by a stop since last
	since     time.Duration // the first observation since which it has not run
	reported  bool          // so was the line
}

// stopped records that the target was stopped: a thread runs a little then, to go back
// to its wait.
func (m *movement) stopped() { m.disturbed = true }

// see records an observation, and whether the detector takes the thread for idle.
func (m *movement) see(s Observation, idle bool) {
	switch {
	case s.Blind:
		return
	case s.Wait == waits.Stopped, m.disturbed && s.Wait == waits.None: // it may be on its way back
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

// line returns what to report at once of a thread that has not run for the threshold, though its wait
// is none of a run loop: once. It is empty otherwise.
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

// isAt reports whether two places are known and of calls made at the same place in the stack and the
// code: a call that a stop interrupts goes on as another one.
func (p Place) isAt(q Place) bool { return p != Place{} && p.SP == q.SP && p.PC == q.PC }
