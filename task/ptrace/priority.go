//go:build linux && (amd64 || arm64)

package ptrace

import "golang.org/x/sys/unix"

// highest is the nice value of the most urgent ordinary threads.
const highest = -20

// raisePriority has our thread served first while a target is open, where that
// is permitted: whatever delays it between a stop and the release delays the
// target.
func (p *Process) raisePriority() {
	// By default a sleep may last 50 us longer than asked (prctl(2)).
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	p.nice = niceOf(p.tracer)
	if p.nice > highest {
		_ = unix.Setpriority(unix.PRIO_PROCESS, p.tracer, highest)
	}
}

func (p *Process) restorePriority() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // back to the default
	_ = unix.Setpriority(unix.PRIO_PROCESS, p.tracer, p.nice)
}

// niceOf turns the answer of the system call, 20 − nice (setpriority(2)), back.
func niceOf(tid int) int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		return 0
	}
	return 20 - n
}
