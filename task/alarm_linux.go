package task

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// timer is a timerfd, which Go's network poller waits for with everything else: when it fires,
// only the polling thread wakes, and it continues the sleeper itself. A Go timer also wakes the
// monitor thread (sysmon), and so does each system call that the scheduler knows of; sysmon then
// checks many times a millisecond whether the call has ended.
type timer struct {
	file  *os.File
	conn  syscall.RawConn
	at    unix.ItimerSpec
	armed bool
	ready func(fd uintptr) bool // arm, made once
}

// newTimer returns a timer that does not work if the kernel does not have the clock or refuses.
func newTimer(c Clock) *timer {
	t := &timer{}
	if _, ok := c.(monotonic); !ok {
		return t
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return t
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	conn, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return t
	}
	t.file, t.conn, t.ready = file, conn, t.arm
	return t
}

// arm is called by the poller. Its first call sets the timer, which also clears an earlier
// expiry, and reports that there is nothing to read; the call after the timer has fired reports
// true.
func (t *timer) arm(fd uintptr) bool {
	if t.armed {
		return true
	}
	t.armed = true
	_, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, fd, unix.TFD_TIMER_ABSTIME,
		uintptr(unsafe.Pointer(&t.at)), 0, 0, 0)
	return errno != 0
}

// sleepUntil sleeps until the time at. It reports false, without sleeping, if the timer does not
// work.
func (t *timer) sleepUntil(at time.Duration) bool {
	if t.file == nil {
		return false
	}
	t.armed = false
	t.at.Value = unix.NsecToTimespec(int64(max(at, 1))) // 0 would be never
	err := t.conn.Read(t.ready)
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// cancel ends every wait, present and later, with a deadline in the past.
func (t *timer) cancel() {
	if t.file != nil {
		_ = t.file.SetReadDeadline(time.Unix(1, 0))
	}
}

func (t *timer) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
