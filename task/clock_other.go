//go:build !linux

package task

import "time"

// goClock is Go's monotonic clock.
type goClock struct{ start time.Time }

func systemClock() Clock { return goClock{time.Now()} }

// aloneClock is the system's clock: none is known to be cheaper.
func aloneClock() Clock { return systemClock() }

func (c goClock) Now() time.Duration { return time.Since(c.start) }

func (c goClock) SleepUntil(t time.Duration) { time.Sleep(t - c.Now()) }

func (goClock) Asleep() time.Duration { return 0 }
