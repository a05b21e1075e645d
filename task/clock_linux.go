package task

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is CLOCK_MONOTONIC. Go's own timers are served by a thread that
// wakes with a granularity of about a millisecond when nothing else runs; this
// sleeps in the calling thread itself.
type monotonic struct{}

func systemClock() Clock { return monotonic{} }

func (monotonic) Now() time.Duration { return read(unix.CLOCK_MONOTONIC) }

// Asleep implements [Clock]: CLOCK_BOOTTIME goes on while the system sleeps.
func (monotonic) Asleep() time.Duration {
	return read(unix.CLOCK_BOOTTIME) - read(unix.CLOCK_MONOTONIC)
}

func read(clock int32) time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(clock, &ts)
	return time.Duration(ts.Nano())
}

func (monotonic) SleepUntil(t time.Duration) {
	ts := unix.NsecToTimespec(int64(t))
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
}
