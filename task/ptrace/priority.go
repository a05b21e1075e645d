//go:build linux

package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// highest is the nice value of the most urgent ordinary threads.
const highest = -20

// priority is that of our operating system thread.
type priority struct {
	tid        int
	raised     bool // raise was called
	nice       int  // the nice value before
	ordinary   bool // it may become a real-time thread, and is an ordinary one otherwise
	isRealtime bool // it is a real-time thread now
}

// raise raises the calling thread's priority while a target is open, where that is permitted:
// whatever delays this thread between a stop and the release delays the target.
func (p *priority) raise(tid int) {
	// By default a sleep may last 50 µs longer than requested (prctl(2)).
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	p.tid, p.raised = tid, true
	p.nice = niceOf(p.tid)
	if p.nice > highest {
		_ = unix.Setpriority(unix.PRIO_PROCESS, p.tid, highest)
	}
	policy, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	p.ordinary = errno == 0 && policy == unix.SCHED_NORMAL
}

// toRealtime makes our thread run before all ordinary ones until endRealtime, where that is
// permitted. It is meant for the time in which threads are stopped: at any nice value, the
// threads that are released first may take the processor from us for a time slice each, and the
// others stay stopped as long.
func (p *priority) toRealtime() {
	const lowest = 1 // lowest real-time priority
	if p.ordinary && !p.isRealtime {
		p.isRealtime = setPolicy(unix.SCHED_FIFO, lowest) == 0
		p.ordinary = p.isRealtime // if it is not permitted, do not try again
	}
}

func (p *priority) endRealtime() {
	if p.isRealtime {
		p.isRealtime = setPolicy(unix.SCHED_NORMAL, 0) != 0
	}
}

// setPolicy calls sched_setscheduler for the calling thread. Its nice value does not change.
func setPolicy(policy int, priority int32) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, uintptr(policy), uintptr(unsafe.Pointer(&priority)))
	return errno
}

func (p *priority) restore() {
	p.endRealtime()
	if !p.raised {
		return
	}
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // back to the default
	_ = unix.Setpriority(unix.PRIO_PROCESS, p.tid, p.nice)
}

// niceOf returns a thread's nice value. The system call returns 20 − nice (setpriority(2)).
func niceOf(tid int) int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		return 0
	}
	return 20 - n
}
