package task

import "time"

// Clock is what a sampling keeps time by. It never goes back, and stops while
// the system sleeps.
type Clock interface {
	// Now returns the time since some moment.
	Now() time.Duration
	// SleepUntil returns when Now has reached the time, and may return before.
	SleepUntil(time.Duration)
	// Asleep returns how long the system has slept in all, 0 where it does not tell.
	Asleep() time.Duration
}

// SystemClock returns the most precise clock that can be had without help of
// the target's system.
func SystemClock() Clock { return systemClock() }

// Pacer is a live [Process] that does better when it knows which captures
// belong together. It keeps the time of its target's system.
type Pacer interface {
	Clock
	// BeginSeries is called before the first of many captures, which come at the
	// interval (0: one after another), and EndSeries after the last.
	BeginSeries(interval time.Duration)
	EndSeries()
	// Prompt is called before the wait for a capture, for the calling goroutine to
	// wake on time, and Relax after the capture, in the same goroutine.
	Prompt()
	Relax()
	// Confirm is called when the target runs on, before what was captured is looked
	// at. It takes back the stack of a thread, and sets its Err, where that turns out
	// not to have been the thread's.
	Confirm()
}
