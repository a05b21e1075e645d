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
	raised     bool // it is served first
	nice       int  // and had this before
	ordinary   bool // it may be put before the ordinary ones, of which it is one
	isRealtime bool // and is
}

// raise has the calling thread served first while a target is open, where that
// is permitted: whatever delays it between a stop and the release delays the
// target.
func (p *priority) raise(tid int) {
	// By default a sleep may last 50 us longer than asked (prctl(2)).
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	p.tid, p.raised = tid, true
	p.nice = niceOf(p.tid)
	if p.nice > highest {
		_ = unix.Setpriority(unix.PRIO_PROCESS, p.tid, highest)
	}
	policy, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	p.ordinary = errno == 0 && policy == unix.SCHED_NORMAL
}

// toRealtime has our thread run before all ordinary ones until endRealtime, where that is
// permitted. For the time in which threads are stopped: at whatever nice value, the
// first that are let go of may take the processor from us for a time slice each,
// and the others are stopped as long.
func (p *priority) toRealtime() {
	const lowest = 1 // of the real-time priorities
	if p.ordinary && !p.isRealtime {
		p.isRealtime = setPolicy(unix.SCHED_FIFO, lowest) == 0
		p.ordinary = p.isRealtime // not permitted: not asked for again
	}
}

func (p *priority) endRealtime() {
	if p.isRealtime {
		p.isRealtime = setPolicy(unix.SCHED_NORMAL, 0) != 0
	}
}

// setPolicy is sched_setscheduler of the calling thread; its nice value stays.
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

// niceOf turns the answer of the system call, 20 − nice (setpriority(2)), back.
func niceOf(tid int) int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		return 0
	}
	return 20 - n
}
