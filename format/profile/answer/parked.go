package answer

import "stacksnap/format/profile"

// parkedCalls are those in which threads besides the main one wait that have nothing to
// do, beside [idleCalls]: for a condition, a time, a connection, or one of several events.
var parkedCalls = map[string]bool{
	"futex": true, "futex_waitv": true, "nanosleep": true, "clock_nanosleep": true, "rt_sigtimedwait": true,
	"poll": true, "ppoll": true, "select": true, "pselect6": true, "pselect": true, "accept": true, "accept4": true,
	"io_getevents": true, "io_pgetevents": true, "io_uring_enter": true, "pause": true, "rt_sigsuspend": true,
	"psynch_cvwait": true, "__semwait_signal": true, "semaphore_wait": true, "semaphore_timedwait": true,
	"mach_wait_until": true, "__sigwait": true, "ulock_wait": true, "ulock_wait2": true,
}

// IsIdle tells whether a thread that waits so waits for whatever comes next, as only run
// loops do.
func IsIdle(w *profile.Wait) bool { return w != nil && isIdle(w) }

// IsParked tells whether a thread besides the main one that waits so probably has
// nothing to do: it waits for no lock, for no thread and for no process that is known.
func IsParked(w *profile.Wait) bool {
	return w != nil && w.Lock == profile.NoLock && w.Peer.PID == 0 && (isIdle(w) || parkedCalls[w.Call])
}
