// Package hang watches one thread of a process for being stuck: away from the
// wait in which it has nothing to do.
//
// A thread is idle in the wait of a run loop (epoll_wait, poll, select, kevent,
// mach_msg and their kin). One that was never seen in such a wait is idle in any
// wait but that for a lock: it may sleep, read or join for a living.
//
// It is stuck when it was away from its idle wait for the threshold. Between two
// looks that both see it away it may have been idle; that it was not is proven
// by the count of its sleeps:
//
//	sleeps₂ = sleeps₁                             it has not begun to wait at all
//	sleeps₂ = sleeps₁ + 1, and it waits at look 2  it has begun only the wait that it is in
//
// and where the system does not count sleeps, by its being in the same wait
// without having run but for the looks, or by its having run nearly all the time, since
// the look before and since the first of those in a row that saw it run:
//
//	Δtime − ΔCPU ≤ Δtime / 10 + grain
//
// A thread that works and waits in turns, faster than it is looked at, is proven
// nothing of. When a proof fails after the threshold without an idle look, it is looked
// at a hundred times more often for twice the threshold, and is stuck if not one of
// these looks finds it idle.
//
// When a thread left its idle wait is known by the work that it has done since.
// If it waits again by the first look that sees it away, it may have left at any
// time between two looks, and the middle is taken: such a hang may be found only
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

// The rhythm of looks, in parts of the threshold, and in thresholds.
const (
	looksPerThreshold = 4
	idleLooks         = 1.2 // per threshold, as long as the thread is idle: above 1, so that no hang is between two
	closerPerThres    = 100
	closerThresholds  = 2
	blindPerThres     = 25             // after a look that saw nothing
	enoughLooks       = closerPerThres // of a closer watch, when they come late
	closerRest        = 32             // between two closer watches that found the thread idle
	shortest          = time.Millisecond
	fewSleeps         = 3 // in an interval, that may well be of one task
	// grain is by how much the time that a running thread has used may be behind: it is
	// brought up to date by a clock's ticks, of 4 ms at 250 Hz, or when the thread is
	// switched. Looks of a closer watch are as near to each other.
	grain = 4 * time.Millisecond
)

// Observation is what one look told.
type Observation struct {
	At       time.Duration // by a clock that never goes back
	Wait     waits.Kind
	Place    Place         // of a wait; zero where it is not known
	Counters task.Counters // when the look was over
	// Before: what the thread had used of a processor when the look began. What it
	// has used since then is the look's doing, on systems where one has it run.
	Before time.Duration
	// Blind: the thread waits, and where could not be seen just now.
	Blind bool
	// Steady: the thread did not begin to wait while it was looked at.
	Steady bool
}

// Place tells one wait from another.
type Place struct {
	Call   int
	SP, PC task.Addr
	Args   [6]uint64
}

// tellingArgs are the arguments that tell one call from another of the same
// place. Registers beyond those that a call takes hold anything, and after a look
// not everywhere the same.
const tellingArgs = 4

// sameAs reports whether two looks saw the same wait, as far as the place tells.
func (p Place) sameAs(q Place) bool {
	clear(p.Args[tellingArgs:])
	clear(q.Args[tellingArgs:])
	return p == q && p != Place{}
}

// Event is what a look has changed.
type Event uint8

// The events.
const (
	Nothing   Event = iota
	Stuck           // the thread has been away for the threshold
	Recovered       // a stuck thread was seen idle
)

// Detector decides by looks whether a thread is stuck. It has no clock of its
// own. [NewDetector] makes one.
type Detector struct {
	threshold time.Duration
	loops     bool           // the thread has been seen in the wait of a run loop
	harmless  map[Place]bool // waits that looked like those for locks, and are not

	prev Observation
	seen bool
	idle bool // prev was

	blind time.Duration // the last look that saw nothing

	away   Observation // where the proven absence began: At and Counters
	absent bool
	row    Observation // the first of the looks by which that is proven
	last   Observation // the last idle look, or the first of all
	left   Observation // when it left its idle wait after that, as is estimated

	stuck bool
	end   time.Duration

	closer     bool          // a closer watch is under way
	closeLooks int           // in it
	closerFrom time.Duration // since when
	restUntil  time.Duration // no closer watch before
}

// NewDetector makes a detector of hangs that last for the threshold or longer.
func NewDetector(threshold time.Duration) *Detector {
	return &Detector{threshold: max(threshold, looksPerThreshold*shortest), harmless: map[Place]bool{}}
}

// See takes a look, later than all before, into account.
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

// isIdle reports whether a look sees the thread with nothing to do.
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

// rest is called of an idle look.
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

// work is called of a look that sees the thread away, and not yet stuck.
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

// watchedClosely begins a closer watch when it is time for one, and tells
// whether the one under way has seen enough. As long as the looks prove that the
// thread is away no more of them are wanted: they may well cost it time.
func (d *Detector) watchedClosely(s Observation, unproven bool) bool {
	if !d.closer {
		if unproven && s.At-d.last.At >= d.threshold && s.At >= d.restUntil {
			d.closer, d.closerFrom, d.closeLooks = true, s.At, 0
		}
		return false
	}
	d.closeLooks++
	return d.closeLooks >= enoughLooks && s.At-d.closerFrom >= closerThresholds*d.threshold
}

// proven reports whether the thread was away all the time since the last look,
// which saw it so.
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

// hasRun reports whether a thread that was seen to run twice has hardly rested between.
func hasRun(a, b Observation) bool {
	whole := b.At - a.At
	rest := whole - (b.Counters.CPU - a.Counters.CPU)
	return rest <= whole/10+grain
}

// began estimates when a thread that is away now has left its idle wait, since
// the last look. If it has only worked since, its work says so. If it has worked
// and then begun the wait that it is in, it has left by the middle, more or less,
// but a look may be very late. Of anything else little can be said.
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

// slept tells how often the thread began to wait since the last look. Where the
// system does not, it has not if it worked nearly all the time, or in one wait.
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

// idlePace is the time between two looks at an idle thread.
func (d *Detector) idlePace() time.Duration {
	return time.Duration(float64(d.threshold) / idleLooks)
}

func middle(a, b time.Duration) time.Duration { return a + (b-a)/2 }

// Next returns when to look again.
func (d *Detector) Next() time.Duration {
	pace := d.threshold / looksPerThreshold
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
