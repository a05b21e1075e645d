//go:build linux

package ptrace

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// alarm lets our thread sleep in waitid until a traced thread has stopped, but only for a
// limited time. The kernel wakes a tracer that sleeps in waitid without a signal. If it sent
// one, Go's signal handler would run before the thread is read, which takes longer than
// everything that has to be done in the stop.
//
// So SIGCHLD is no longer sent for stops (SA_NOCLDSTOP), and a timer that sends it to our thread
// ends a wait that takes too long. For that the call must not be restarted (no SA_RESTART). Both
// hold for the whole program, which does not mind: nothing in Go reacts to a child that stops,
// and os and syscall repeat calls that a signal has ended. Where either is not available, the
// thread naps instead, and SIGCHLD ends the nap.
type alarm struct {
	timer int32
	has   bool // timer
	runs  bool
}

// alarmEvery is the period of the timer that interrupts waitid. No wait there lasts longer.
const alarmEvery = time.Millisecond

// kernelSigaction is struct sigaction as rt_sigaction takes it on amd64 and arm64
// (include/linux/signal_types.h; arm64 has SA_RESTORER too).
type kernelSigaction struct {
	handler, flags, restorer, mask uintptr
}

// The flags (include/uapi/asm-generic/signal-defs.h).
const (
	noChildStop = 0x00000001 // SA_NOCLDSTOP
	restart     = 0x10000000 // SA_RESTART
)

// sigevent is struct sigevent with SIGEV_THREAD_ID
// (include/uapi/asm-generic/siginfo.h).
type sigevent struct {
	value         uint64
	signo, notify int32
	tid           int32
	_             [11]int32
}

const notifyThread = 4 // SIGEV_THREAD_ID

// setUp creates the timer for the calling thread.
func (a *alarm) setUp(tid int) {
	e := sigevent{signo: int32(unix.SIGCHLD), notify: notifyThread, tid: int32(tid)}
	_, _, errno := unix.RawSyscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC,
		uintptr(unsafe.Pointer(&e)), uintptr(unsafe.Pointer(&a.timer)))
	a.has = errno == 0
	if s, ok := childAction(nil); a.has && ok && s.handler > 1 { // not SIG_DFL, SIG_IGN: it must end the call
		s.flags = s.flags&^restart | noChildStop
		childAction(&s)
	}
}

// childAction returns the action for SIGCHLD and, if new is not nil, replaces it.
func childAction(new *kernelSigaction) (old kernelSigaction, ok bool) {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD),
		uintptr(unsafe.Pointer(new)), uintptr(unsafe.Pointer(&old)), unsafe.Sizeof(old.mask), 0, 0)
	return old, errno == 0
}

// start makes the timer interrupt waits from now on.
func (a *alarm) start() {
	if !a.has || a.runs {
		return
	}
	s, ok := childAction(nil)
	if !ok || s.handler <= 1 || s.flags&(restart|noChildStop) != noChildStop {
		return // os/signal has changed it since setUp
	}
	a.set(alarmEvery)
	a.runs = true
}

func (a *alarm) end() {
	if a.runs {
		a.runs = false
		a.set(0)
	}
}

func (a *alarm) set(every time.Duration) {
	ts := unix.NsecToTimespec(int64(every))
	at := [2]unix.Timespec{ts, ts} // struct itimerspec: interval, then first expiry
	_, _, _ = unix.RawSyscall6(unix.SYS_TIMER_SETTIME, uintptr(a.timer), 0, uintptr(unsafe.Pointer(&at)), 0, 0, 0)
}

func (a *alarm) close() {
	if a.has {
		a.has = false
		_, _, _ = unix.RawSyscall(unix.SYS_TIMER_DELETE, uintptr(a.timer), 0, 0)
	}
}

// awaitStop sleeps until a thread has stopped or ended, at most until d has passed or the timer
// fires.
func (p *Process) awaitStop(tid int, d time.Duration) {
	if !p.alarm.runs || await(unix.P_PID, tid, &p.info, unix.WSTOPPED|unix.WEXITED) == unix.ECHILD {
		nap(d)
	}
}

// awaitAnyStop sleeps until one of the traced threads has stopped, at most until d has passed or
// the timer fires. It sets round.none to a time before which none had stopped.
func (p *Process) awaitAnyStop(d time.Duration) {
	began := time.Now()
	switch {
	case p.alarm.runs && await(unix.P_ALL, 0, &p.info, unix.WSTOPPED|unix.WNOTHREAD) == unix.EINTR,
		p.alarm.runs && p.info.pid != 0 && p.round.waitsFor(int(p.info.pid)) >= 0,
		nap(d) == unix.EINTR: // by SIGCHLD, which the first thread to stop sends
		began = time.Now()
	}
	p.round.none = began
}
