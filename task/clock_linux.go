package task

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is CLOCK_MONOTONIC. Go's own timers are served by a thread that
// wakes with a granularity of about a millisecond when nothing else runs; this
// sleeps in the calling thread itself. It is read by Go's clock, which is the same
// and needs no system call.
type monotonic struct {
	start time.Time
	at    time.Duration // of CLOCK_MONOTONIC at start, or a moment later
}

func systemClock() Clock {
	start := time.Now()
	return monotonic{start, read(unix.CLOCK_MONOTONIC)}
}

func (c monotonic) Now() time.Duration { return c.at + time.Since(c.start) }

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
