package golang

// status is the state of a goroutine (runtime/runtime2.go).
type status uint32

const (
	isIdle      status = 0
	isRunnable  status = 1
	isRunning   status = 2
	isInSyscall status = 3
	isWaiting   status = 4
	isDead      status = 6
	isCopied    status = 8 // its stack is being moved
	isPreempted status = 9
	isLeaked    status = 10 // since Go 1.26
	isExtra     status = 11 // dead, of a thread of C; since Go 1.26

	// scanned is set while the garbage collection reads the stack.
	scanned = 0x1000
)

// stateNames are the runtime's own words (runtime/traceback.go, gStatusStrings).
var stateNames = map[status]string{
	isRunnable: "runnable", isWaiting: "waiting", isPreempted: "preempted", isLeaked: "leaked",
}

// isThread reports whether a thread has the goroutine's stack.
func (s status) isThread() bool { return s == isRunning || s == isInSyscall }

// isNone reports whether the runtime.g is unused.
func (s status) isNone() bool { return s == isIdle || s == isDead || s == isExtra }

// wait returns what a goroutine waits in, in the words of Go's own tracebacks.
func (r *Runtime) wait(s status, reason uint8) string {
	if (s == isWaiting || s == isLeaked) && reason != 0 {
		if int(reason) >= len(r.reasons) {
			return "unknown wait reason"
		}
		if s == isLeaked {
			return r.reasons[reason] + " (leaked)"
		}
		return r.reasons[reason]
	}
	return stateNames[s]
}
