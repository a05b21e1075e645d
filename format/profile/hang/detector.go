// Package hang watches one thread of a process for being stuck: away from the
// wait in which it has nothing to do.
//
// A thread is idle in the wait of a run loop (epoll_wait, poll, select, kevent,
// mach_msg and their kin). One that was never seen in such a wait is idle in any
// wait but that for a lock: it may sleep, read or join for a living.
//
// It is stuck when it was away from its idle wait for the threshold. Between two
// observations that both find it away it may have been idle; that it was not is proven
// by the count of its sleeps:
//
//	sleeps₂ = sleeps₁                             it has not begun to wait at all
//	sleeps₂ = sleeps₁ + 1, and it waits at the second it has begun only the wait that it is in
//
// and where the system does not count sleeps, by its being in the same wait
// without having run but for being observed, or by its having run nearly all the time, since
// the observation before and since the first of those in a row that found it running:
//
//	Δtime − ΔCPU ≤ Δtime / 10 + grain
//
// Nothing is proven of a thread that works and waits in turns, faster than it is observed. When
// a proof fails and the thread was not found idle for the threshold, it is observed more often,
// a hundred times per threshold, for twice the threshold, and is stuck if it is never found idle.
//
// When a thread left its idle wait is known by the work that it has done since.
// If it waits again by the first observation that finds it away, it may have left at any
// time between two observations, and the middle is taken: such a hang may be found only
// when it has lasted two fifths longer than the threshold.
//
// A run loop that always has something to do never waits, and cannot be told
// from a thread that computes.
//
// A thread that is stopped, by a signal or a debugger, is not stuck: it is as if
// it were idle until it goes on, and what it was in before does not count.
package hang

import (
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// The rhythm of observations, in parts of the threshold, and in thresholds.
const (
	observationsPerThreshold = 4
	idleObservations         = 1.2 // per threshold, as long as the thread is idle: above 1, so that no hang is between two
	closerPerThres           = 100
	closerThresholds         = 2
	blindPerThres            = 25             // after a blind observation
	enoughObservations       = closerPerThres // of a closer watch, when they come late
	closerRest               = 32             // between two closer watches that found the thread idle
	shortest                 = time.Millisecond
	fewSleeps                = 3 // in an interval, that may well be of one task
	// grain is by how much the time that a running thread has used may be behind: it is
	// brought up to date by a clock's ticks, of 4 ms at 250 Hz, or when the thread is
	// switched. Observations of a closer watch are as near to each other.
	grain = 4 * time.Millisecond
)

// Observation is what was seen of the thread at one time.
type Observation struct {
	At       time.Duration // by a clock that never goes back
	Wait     waits.Kind
	Place    Place         // of a wait; zero where it is not known
	Counters task.Counters // when the observation was over
	// Before is the thread's CPU time when the observation began. What it has used since then
	// is due to the observation, on systems where one makes it run.
	Before time.Duration
	// Blind is set when the thread waits, and where could not be seen just now.
	Blind bool
	// Steady is set when the thread did not begin to wait while it was observed.
	Steady bool
}

// Place identifies a wait: the call, where it is made, and its arguments.
type Place struct {
	Call   int
	SP, PC task.Addr
	Args   [6]uint64
}

// comparedArgs is how many arguments are compared. Registers beyond those that a call takes hold
// anything, and on some systems an observation changes them.
const comparedArgs = 4

// sameAs reports whether two places are known and the same.
func (p Place) sameAs(q Place) bool {
	clear(p.Args[comparedArgs:])
	clear(q.Args[comparedArgs:])
	return p == q && p != Place{}
}

// Event is what an observation has changed.
type Event uint8

// The events.
const (
	Nothing   Event = iota
	Stuck           // the thread has been away for the threshold
	Recovered       // a stuck thread was seen idle
)

// Detector decides by observations whether a thread is stuck. It has no clock of its
// own. [NewDetector] makes one.
type Detector struct {
	threshold time.Duration
	loops     bool           // the thread has been seen in the wait of a run loop
	harmless  map[Place]bool // waits that looked like those for locks, and are not

	prev Observation
	seen bool
	idle bool // prev was

	blind time.Duration // the last blind observation

	away   Observation // where the proven absence began: At and Counters
	absent bool
	row    Observation // the first of the observations by which that is proven
	last   Observation // the last idle observation, or the first of all
	left   Observation // when it left its idle wait after that, as is estimated

	stuck bool
	end   time.Duration

	closer            bool          // a closer watch is under way
	closeObservations int           // in it
	closerFrom        time.Duration // since when
	restUntil         time.Duration // no closer watch before
}

// NewDetector makes a detector of hangs that last for the threshold or longer.
func NewDetector(threshold time.Duration) *Detector {
	return &Detector{threshold: max(threshold, observationsPerThreshold*shortest), harmless: map[Place]bool{}}
}

// See takes an observation into account, which is later than all before.
func (d *Detector) See(s Observation) Event {
	if s.Blind {
		d.blind = s.At
		return Nothing
	}
	if !d.seen {
		d.seen, d.prev, d.last, d.left, d.away, d.row, d.absent = true, s, s, s, s, s, true
	}
	idle := d.isIdle(s)
	event := Nothing
	switch {
	case idle:
		event = d.rest(s)
	case d.stuck:
	default:
		event = d.work(s)
	}
	d.prev, d.idle = s, idle
	return event
}

// isIdle reports whether an observation finds the thread with nothing to do.
func (d *Detector) isIdle(s Observation) bool {
	switch s.Wait {
	case waits.Loop:
		d.loops = true
		return true
	case waits.Stopped:
		return true
	case waits.Other:
		return !d.loops
	case waits.Lock:
		return !d.loops && d.harmless[s.Place]
	}
	return false
}

// rest takes an idle observation into account.
func (d *Detector) rest(s Observation) Event {
	event := Nothing
	if d.stuck {
		event = Recovered
		d.end = middle(d.prev.At, s.At)
	}
	if d.closer {
		d.closer = false
		d.restUntil = s.At + closerRest*d.threshold
	}
	d.stuck, d.absent, d.last = false, false, s
	return event
}

// work takes an observation into account of a thread that is away, and not yet stuck.
func (d *Detector) work(s Observation) Event {
	unproven := d.absent && !d.proven(s)
	if unproven || !d.absent {
		d.away, d.row, d.absent = d.began(s), s, true
	}
	if d.idle {
		d.left = d.away
	}
	switch {
	case s.At-d.away.At >= d.threshold:
	case d.watchedClosely(s, unproven):
		d.away = d.left
	default:
		return Nothing
	}
	d.stuck, d.closer = true, false
	return Stuck
}

// watchedClosely begins a closer watch when it is time for one, and reports
// whether the one under way has seen enough. As long as the observations prove that the
// thread is away no more of them are wanted: they may cost it time.
func (d *Detector) watchedClosely(s Observation, unproven bool) bool {
	if !d.closer {
		if unproven && s.At-d.last.At >= d.threshold && s.At >= d.restUntil {
			d.closer, d.closerFrom, d.closeObservations = true, s.At, 0
		}
		return false
	}
	d.closeObservations++
	return d.closeObservations >= enoughObservations && s.At-d.closerFrom >= closerThresholds*d.threshold
}

// proven reports whether the thread was away all the time since the last observation,
// which found it so.
func (d *Detector) proven(s Observation) bool {
	switch {
	case d.prev.At == s.At:
		return true
	case d.idle || !s.Steady || !d.prev.Steady:
		return false
	case s.Counters.HasSleeps && d.prev.Counters.HasSleeps:
		begun := s.Counters.Sleeps - d.prev.Counters.Sleeps
		return begun == 0 || begun == 1 && s.Wait != waits.None
	}
	if s.Wait != waits.None {
		ran := s.Before - d.prev.Counters.CPU
		return ran == 0 && s.Place.sameAs(d.prev.Place) && d.prev.Wait != waits.None
	}
	return d.prev.Wait == waits.None && hasRun(d.prev, s) && hasRun(d.row, s)
}

// hasRun reports whether a thread that was found running twice has run nearly all the time between.
func hasRun(a, b Observation) bool {
	whole := b.At - a.At
	rest := whole - (b.Counters.CPU - a.Counters.CPU)
	return rest <= whole/10+grain
}

// began estimates when a thread that is away now has left its idle wait, since
// the last observation. If it has only worked since, its work says so. If it has worked
// and then begun the wait that it is in, it has left by the middle, more or less,
// but an observation may be very late. Of anything else little can be said.
func (d *Detector) began(s Observation) Observation {
	worked := s.Counters.CPU - d.prev.Counters.CPU + s.Counters.Queued - d.prev.Counters.Queued
	worked = min(max(0, worked), s.At-d.prev.At)
	start := d.prev
	switch sleeps, known := d.slept(s); {
	case known && s.Wait == waits.None && sleeps == 0:
		start.At = s.At - worked
	case known && s.Wait != waits.None && sleeps <= 1:
		start.At = max(middle(d.prev.At, s.At-worked), s.At-d.idlePace()/2-worked)
	case known && s.Wait != waits.None && sleeps <= fewSleeps && s.At-d.prev.At <= d.idlePace()*5/4:
		start.At = middle(d.prev.At, s.At-worked)
	default:
		start.At = s.At - min(worked/2, d.idlePace()/4)
	}
	return start
}

// slept returns how often the thread began to wait since the last observation. Where the
// system does not count that, it has not if it worked nearly all the time, or in one wait.
func (d *Detector) slept(s Observation) (sleeps uint64, known bool) {
	if s.Counters.HasSleeps && d.prev.Counters.HasSleeps {
		return s.Counters.Sleeps - d.prev.Counters.Sleeps, s.Steady
	}
	worked := s.Counters.CPU - d.prev.Counters.CPU
	if s.Wait != waits.None {
		return 1, s.At-d.prev.At <= d.idlePace()*5/4
	}
	return 0, worked >= (s.At-d.prev.At)*9/10
}

// idlePace is the time between two observations of an idle thread.
func (d *Detector) idlePace() time.Duration {
	return time.Duration(float64(d.threshold) / idleObservations)
}

func middle(a, b time.Duration) time.Duration { return a + (b-a)/2 }

// Next returns when to observe the thread again.
func (d *Detector) Next() time.Duration {
	pace := d.threshold / observationsPerThreshold
	switch {
	case d.idle:
		pace = d.idlePace()
	case d.closer:
		pace = d.threshold / closerPerThres
	case d.absent && !d.stuck:
		pace = min(pace, d.away.At+d.threshold-d.prev.At)
	}
	return max(d.prev.At+max(pace, shortest), d.blind+d.threshold/blindPerThres)
}

// IgnoreLastWait marks the wait that was observed last as harmless: it looked like one for a
// lock, and is not. It reports whether the thread is idle because of that.
func (d *Detector) IgnoreLastWait() bool {
	if d.loops || d.prev.Wait != waits.Lock {
		return false
	}
	const most = 1000
	if len(d.harmless) >= most {
		clear(d.harmless)
	}
	d.harmless[d.prev.Place] = true
	d.stuck, d.absent, d.closer, d.last, d.left, d.idle = false, false, false, d.prev, d.prev, true
	return true
}

// Away returns when the hang began and what the thread had done by then.
func (d *Detector) Away() (time.Duration, task.Counters) { return d.away.At, d.away.Counters }

// End returns when the last hang ended.
func (d *Detector) End() time.Duration { return d.end }
