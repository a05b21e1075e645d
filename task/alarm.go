package task

import "time"

// longestNap is how long an Alarm sleeps at once where Cancel cannot wake it.
const longestNap = 500 * time.Millisecond

// Alarm sleeps until times of a clock, for as little processor time as can be:
// for one who sleeps often and long, and does little between. A sleeping
// goroutine of Go's costs several switches between threads, one that is bound
// to a thread, or sleeps in a system call, most.
//
// It is for one goroutine at a time, preferably one that is bound to no thread.
// Cancel may be called from any.
type Alarm struct {
	clock Clock
	timer *timer
}

// NewAlarm makes an alarm of a clock. It is to be closed.
func NewAlarm(c Clock) *Alarm {
	return &Alarm{clock: c, timer: newTimer(c)}
}

// SleepUntil returns when the clock has reached the time, or Cancel was called;
// it may return before.
func (a *Alarm) SleepUntil(t time.Duration) {
	if !a.timer.sleepUntil(t) {
		a.clock.SleepUntil(min(t, a.clock.Now()+longestNap))
	}
}

// Cancel ends a sleep that is under way, at once or soon, and every later one.
func (a *Alarm) Cancel() { a.timer.cancel() }

// Close gives back what the alarm holds. Nobody may be asleep.
func (a *Alarm) Close() error { return a.timer.close() }
