//go:build linux

package lastrun

import (
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The bounds of reading the clocks of processors. Moving to a busy processor takes until the
// scheduler gives this thread a turn there.
const (
	maxClocks = 16
	clockTime = 50 * time.Millisecond
)

// reading is what the clock of a processor showed at some moment before at, or when the clock
// was last updated before that.
type reading struct {
	clock time.Duration
	at    time.Time
}

// readClocks reads the clocks of the processors on which threads last ran. It reads only those
// on which this program may run: others may be reserved for one program.
func readClocks(notes []note) map[int]reading {
	clocks := make(chan map[int]reading)
	go func() { clocks <- movedTo(notes) }()
	return <-clocks
}

// movedTo moves the operating system thread that it runs on to one processor after another, and
// reads their clocks. If the thread cannot be moved back, it ends with the goroutine.
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

// mayStarve reports whether real-time threads may occupy a processor for ever
// (sched_rt_runtime_us, sched(7)): this thread would then never run there, nor end.
func mayStarve() bool {
	files := reader{dir: unix.AT_FDCWD}
	return strings.HasPrefix(string(files.read("/proc/sys/kernel/sched_rt_runtime_us")), "-1")
}

// readClock moves this thread to a processor and reads that processor's clock.
func readClock(cpu int) (reading, bool) {
	var there unix.CPUSet
	there.Set(cpu)
	if !there.IsSet(cpu) || unix.SchedSetaffinity(0, &there) != nil {
		return reading{}, false
	}
	files := reader{dir: unix.AT_FDCWD}
	own, ok := files.sched("/proc/thread-self/sched")
	at := time.Now()
	_, is, known := files.stat("/proc/thread-self/stat")
	return reading{own.last, at}, ok && known && is == cpu
}
