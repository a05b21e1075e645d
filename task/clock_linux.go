package task

import (
	"time"
	"unsafe"

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

// quiet is monotonic for a program's only sampling. Go's scheduler is not told of its
// short sleeps: told, its monitor thread (sysmon) looks ever again whether the call has
// ended, some twenty times in ten milliseconds, which costs a quarter of the CPU time of a
// sampling. Not told, it takes the goroutine for one that computes, and no other runs in
// its place; what has to stop it does so by a signal, which ends the sleep.
type quiet struct{ monotonic }

// longestQuiet is how long a sleep may be that the scheduler is not told of.
const longestQuiet = 2 * time.Millisecond

func aloneClock() Clock { return quiet{systemClock().(monotonic)} }

func (c quiet) SleepUntil(t time.Duration) {
	if t-c.Now() > longestQuiet {
		c.monotonic.SleepUntil(t)
		return
	}
	ts := unix.NsecToTimespec(int64(t))
	_, _, _ = unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
		uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
}
