package task

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// monotonic is CLOCK_MONOTONIC. A thread that serves Go's own timers wakes with a granularity of
// about a millisecond when nothing else runs; monotonic sleeps in the calling thread itself. It
// is read through Go's clock, which is the same one and needs no system call.
type monotonic struct {
	start time.Time
	at    time.Duration // CLOCK_MONOTONIC at start, or a moment later
}

func systemClock() Clock {
	start := time.Now()
	return monotonic{start, read(unix.CLOCK_MONOTONIC)}
}

func (c monotonic) Now() time.Duration { return c.at + time.Since(c.start) }

// Asleep implements [Clock]: unlike CLOCK_MONOTONIC, CLOCK_BOOTTIME advances while the system
// sleeps.
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

// quiet is monotonic for a program that does only one sampling. It hides its short sleeps from
// Go's scheduler. If the scheduler knew of them, its monitor thread (sysmon) would check some
// twenty times in ten milliseconds whether the call has ended, which costs a quarter of the CPU
// time of a sampling. As it does not, it takes the goroutine for one that computes, and runs no
// other in its place; when the scheduler has to stop the goroutine it sends a signal, which ends
// the sleep.
type quiet struct{ monotonic }

// longestQuiet is how long a sleep that is hidden from the scheduler may last.
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
