package task

import "time"

// Clock is the clock by which a sampling keeps time. It never goes back, and it stops while the
// system sleeps.
type Clock interface {
	// Now returns the time since some moment.
	Now() time.Duration
	// SleepUntil returns when Now has reached the time. It may return earlier.
	SleepUntil(time.Duration)
	// Asleep returns how long the system has slept in all, 0 where the system does not report
	// it.
	Asleep() time.Duration
}

// SystemClock returns the most precise clock that is available without help from the target's
// system.
func SystemClock() Clock { return systemClock() }

// Pacer is a live [Process] that works better when it knows which captures belong together. It
// keeps its target's time.
type Pacer interface {
	Clock
	// BeginSeries is called before the first of many captures, which follow at the interval (0:
	// one after another), and EndSeries after the last.
	BeginSeries(interval time.Duration)
	EndSeries()
	// Prompt is called before the wait for a capture, so that the calling goroutine wakes on
	// time, and Relax after the capture, in the same goroutine.
	Prompt()
	Relax()
	// Confirm is called when the target runs again, before the captured data are used. Where a
	// stack turns out not to be the thread's, it discards the stack and sets the thread's Err.
	Confirm()
}
