package task

import "time"

// Clock is what a sampling keeps time by. It never goes back, and stands while
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
