// Package hang watches one thread of a process and reports when it is stuck: away from the
// wait in which it has nothing to do.
//
// A thread is idle in the wait of a run loop (epoll_wait, poll, select, kevent,
// mach_msg and their variants). A thread that was never observed in such a wait is idle in
// any wait but one for a lock: to sleep, read or join may be all that it has to do.
//
// It is stuck when it was away from its idle wait for the threshold. Between two
// observations that both find it away it may have been idle. The number of its sleeps
// proves that it was not:
//
//	sleeps₂ = sleeps₁                             it has not begun to wait at all
//	sleeps₂ = sleeps₁ + 1, and it waits at the second it has begun only the wait that it is in
//
// Where the system does not count sleeps, there are two other proofs: the thread is in the
// same wait and has run only because it was observed; or it has run nearly all the time, both
// since the previous observation and since the first of those in a row that found it running:
//
//	Δtime − ΔCPU ≤ Δtime / 10 + grain
//
// For a thread that alternates between work and waits faster than it is observed there is no
// proof. If the proof fails and no observation found the thread idle for the threshold, a closer
// watch begins: a hundred observations per threshold, for two thresholds. The thread is stuck
// if none of them finds it idle.
//
// The time at which a thread left its idle wait is computed from the work that it has done
// since. If it waits again when it is first observed away, it may have left at any time
// between two observations, and the middle is assumed. Such a hang may be found only when it
// has lasted two fifths longer than the threshold.
//
// A run loop that always has something to do never waits, and looks like a thread that
// computes.
//
// A thread that is stopped by a signal or a debugger counts as idle until it goes on. A hang
// from before the stop ends there.
package hang

import (
	"time"

	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// The frequency of observations.
const (
	observationsPerThreshold = 4
	idleObservations         = 1.2 // observations per threshold while the thread is idle; above 1, so that no hang fits between two
	closerPerThres           = 100
	closerThresholds         = 2
	blindPerThres            = 25             // observations per threshold after a blind one
	enoughObservations       = closerPerThres // least number in a closer watch whose observations come late
	closerRest               = 32             // thresholds before the next closer watch, if the last found the thread idle
	shortest                 = time.Millisecond
	fewSleeps                = 3 // sleeps in an interval that may belong to one task
	// grain is the error of a running thread's CPU time, which the kernel updates at clock
	// ticks (4 ms at 250 Hz) and context switches. Observations of a closer watch may be
	// that close to each other.
	grain = 4 * time.Millisecond
)

// Observation is the state of the thread at one time.
type Observation struct {
	At       time.Duration // time, by a monotonic clock
	Wait     waits.Kind
	Call     string        // the name of the call that it waits in; empty: not known
	Place    Place         // the place of the wait; zero if unknown
	Counters task.Counters // the thread's counters at the end of the observation
	// Before is the thread's CPU time at the beginning of the observation. On systems where
	// an observation makes the thread run, the difference is due to the observation.
	Before time.Duration
	// Blind is set if the thread waits, and the wait could not be read.
	Blind bool
	// Steady is set if the thread did not begin to wait during the observation.
	Steady bool
}

// Place identifies a wait: the call, the code that makes it, and its arguments.
type Place struct {
	Call   int
	SP, PC task.Addr
	Args   [6]uint64
}

// comparedArgs is the number of arguments to compare. Registers beyond a call's arguments
// have arbitrary values, and on some systems an observation changes them.
const comparedArgs = 4

// sameAs reports whether both places are known and equal.
func (p Place) sameAs(q Place) bool {
	clear(p.Args[comparedArgs:])
	clear(q.Args[comparedArgs:])
	return p == q && p != Place{}
}

// Event is a change that an observation shows.
type Event uint8

// The events.
const (
	Nothing   Event = iota
	Stuck           // the thread has been away for the threshold
	Recovered       // a stuck thread was observed idle
)

// Detector decides from observations whether a thread is stuck. It has no clock of its own.
// [NewDetector] makes one.
type Detector struct {
	threshold time.Duration
	loops     bool           // the thread was observed in the wait of a run loop
	harmless  map[Place]bool // waits that looked like waits for locks, and are not

	prev  Observation
	seen  bool
	first time.Duration // the time of the first observation
	idle  bool          // prev found the thread idle

	blind time.Duration // time of the last blind observation

	away   Observation // start of the proven absence: At and Counters
	absent bool
	row    Observation // the first observation of the proof
	last   Observation // the last idle observation, or the first of all
	left   Observation // estimate of when the thread left its idle wait, after last

	stuck bool
	end   time.Duration

	closer            bool          // a closer watch is under way
	closeObservations int           // observations in the closer watch
	closerFrom        time.Duration // start of the closer watch
	restUntil         time.Duration // no closer watch before this time
}

// NewDetector returns a detector of hangs of at least the threshold.
func NewDetector(threshold time.Duration) *Detector {
	return &Detector{threshold: max(threshold, observationsPerThreshold*shortest), harmless: map[Place]bool{}}
}

// See records an observation, which must be later than all before.
func (d *Detector) See(s Observation) Event {
	if s.Blind {
		d.blind = s.At
		return Nothing
	}
	if !d.seen {
		d.first = s.At
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

// isIdle reports whether an observation finds the thread idle.
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

// rest records an observation of the thread while it is idle.
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

// work records an observation of the thread while it is away and not yet stuck.
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

// watchedClosely begins a closer watch if one is due. It returns true when
// that watch has lasted long enough to show that the thread is stuck. While ordinary
// observations prove the absence there is no closer watch, as its observations may slow the
// thread.
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

// proven reports whether the thread was certainly away all the time since the last
// observation, which found it away.
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

// hasRun reports whether a thread that two observations found running has run nearly all
// the time between them.
func hasRun(a, b Observation) bool {
	whole := b.At - a.At
	rest := whole - (b.Counters.CPU - a.Counters.CPU)
	return rest <= whole/10+grain
}

// began estimates when, since the last observation, a thread that is away now left its idle
// wait. If it has only worked since, the CPU time says when. If it has worked and then begun
// its present wait, it left about in the middle, unless the observation is very late.
// Otherwise the estimate is rough.
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
// system does not count that, it takes 0 for a thread that worked nearly all the time, and
// 1 for one that waits now, after a short interval.
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

// idlePace returns the time between observations of an idle thread.
func (d *Detector) idlePace() time.Duration {
	return time.Duration(float64(d.threshold) / idleObservations)
}

func middle(a, b time.Duration) time.Duration { return a + (b-a)/2 }

// Next returns the time of the next observation.
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

// IgnoreLastWait marks the wait of the last observation as harmless: it looked like a wait
// for a lock, and is none. It reports whether that makes the thread idle.
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

// Away returns the start of the hang, and the thread's counters then.
func (d *Detector) Away() (time.Duration, task.Counters) { return d.away.At, d.away.Counters }

// FromStart reports whether the thread was away already when it was observed first.
func (d *Detector) FromStart() bool { return d.absent && d.away.At <= d.first }

// End returns the end of the last hang.
func (d *Detector) End() time.Duration { return d.end }
