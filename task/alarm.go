package task

import "time"

// longestNap is how long an Alarm sleeps at a time where Cancel cannot wake it.
const longestNap = 500 * time.Millisecond

// Alarm sleeps until given times of a clock with as little processor time as possible. It is
// meant for a caller that sleeps often and long, and does little between. A sleeping Go
// goroutine costs several switches between threads; it costs the most if it is locked to a
// thread or sleeps in a system call.
//
// An Alarm is used by one goroutine at a time, preferably one that is not locked to a thread.
// Cancel may be called from any goroutine.
type Alarm struct {
	clock Clock
	timer *timer
}

// NewAlarm returns an alarm of a clock. The caller must close it.
func NewAlarm(c Clock) *Alarm {
	return &Alarm{clock: c, timer: newTimer(c)}
}

// SleepUntil returns when the clock has reached the time or Cancel is called. It may return
// earlier.
func (a *Alarm) SleepUntil(t time.Duration) {
	if !a.timer.sleepUntil(t) {
		a.clock.SleepUntil(min(t, a.clock.Now()+longestNap))
	}
}

// Cancel ends a sleep that is under way, at once or soon, and makes later ones return at once.
func (a *Alarm) Cancel() { a.timer.cancel() }

// Close releases the alarm's resources. No goroutine may be asleep in it.
func (a *Alarm) Close() error { return a.timer.close() }
