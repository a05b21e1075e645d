//go:build linux

package lastrun

import (
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The bounds of what the clocks of processors are read for: to be moved to a busy one takes until
// the scheduler gives us a turn there.
const (
	maxClocks = 16
	clockTime = 50 * time.Millisecond
)

// reading is what the clock of a processor said at some moment before at, or when it was last updated
// before that.
type reading struct {
	clock time.Duration
	at    time.Time
}

// readClocks reads the clocks of the processors on which threads ran last, of those on which we run:
// others may be kept for one program.
func readClocks(notes []note) map[int]reading {
	clocks := make(chan map[int]reading)
	go func() { clocks <- movedTo(notes) }()
	return <-clocks
}

// movedTo moves the thread of the system that it runs on to one processor after another. The thread
// ends with the goroutine if it can't be moved back.
func movedTo(notes []note) map[int]reading {
	runtime.LockOSThread()
	clocks := map[int]reading{}
	var before unix.CPUSet
	if unix.SchedGetaffinity(0, &before) != nil || mayStarve() {
		return clocks
	}
	end := time.Now().Add(clockTime)
	for i := range notes {
		cpu := notes[i].cpu
		if _, known := clocks[cpu]; known || !before.IsSet(cpu) || len(clocks) == maxClocks || time.Now().After(end) {
			continue
		}
		if c, ok := readClock(cpu); ok {
			clocks[cpu] = c
		}
	}
	if unix.SchedSetaffinity(0, &before) == nil {
		runtime.UnlockOSThread()
	}
	return clocks
}

// mayStarve reports whether threads of real-time priority may keep a processor for ever
// (sched_rt_runtime_us, sched(7)): this thread would never run there, nor end.
func mayStarve() bool {
	var b buffer
	return strings.HasPrefix(string(b.readFile(unix.AT_FDCWD, "/proc/sys/kernel/sched_rt_runtime_us")), "-1")
}

// readClock moves this thread to a processor and reads what the clock there says.
func readClock(cpu int) (reading, bool) {
	var there unix.CPUSet
	there.Set(cpu)
	if !there.IsSet(cpu) || unix.SchedSetaffinity(0, &there) != nil {
		return reading{}, false
	}
	var b buffer
	own, ok := b.readSched(unix.AT_FDCWD, "/proc/thread-self/sched")
	at := time.Now()
	_, is, known := b.readStat(unix.AT_FDCWD, "/proc/thread-self/stat")
	return reading{own.last, at}, ok && known && is == cpu
}
