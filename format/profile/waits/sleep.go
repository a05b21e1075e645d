package waits

import (
	"fmt"
	"time"
)

// sleep describes the wait of a thread in __semwait_signal. The C library sleeps in it,
// with a semaphore that nobody signals, no second one and a relative time (Libc,
// gen/nanosleep.c). sigsuspend and old versions of pthread_cond_wait use it without such a
// time.
func sleep(_ *Finder, c *call) string {
	semaphore, other, timed, relative := uint32(c.Args[0]), uint32(c.Args[1]), uint32(c.Args[2]), uint32(c.Args[3])
	seconds, nanoseconds := int64(c.Args[4]), int32(c.Args[5])
	const longest = int64(1<<63-1) / int64(time.Second)
	if timed != 0 && relative != 0 && other == 0 && seconds >= 0 && seconds < longest && nanoseconds >= 0 && nanoseconds < 1e9 {
		return fmt.Sprintf("a sleep of %v", time.Duration(seconds)*time.Second+time.Duration(nanoseconds))
	}
	return fmt.Sprintf("Mach semaphore %#x", semaphore)
}

// semaphore describes a Mach semaphore, and the object that waits by it.
func (f *Finder) semaphore(c *call) string {
	if f.within(c.frames, dispatchSemaphores) != "" {
		return fmt.Sprintf("dispatch semaphore (Mach semaphore %#x)", uint32(c.Args[0]))
	}
	return fmt.Sprintf("Mach semaphore %#x", uint32(c.Args[0]))
}

// dispatchSemaphores are functions that wait by semaphore_wait (libdispatch-1542,
// src/semaphore.c, src/shims/lock.c).
var dispatchSemaphores = set{"dispatch_semaphore_wait", "dispatch_semaphore_wait_slow"}
