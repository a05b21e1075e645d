package task

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// timer is a timerfd, which the thread that polls for Go's network waits for with
// all else: when it fires, that thread alone wakes, and goes on with the sleeper
// itself. A timer of Go's wakes its monitor thread (sysmon) as well, and so does
// each system call that the scheduler is told of; that thread then looks many
// times a millisecond whether the call has ended.
type timer struct {
	file  *os.File
	conn  syscall.RawConn
	at    unix.ItimerSpec
	armed bool
	ready func(fd uintptr) bool // arm, made once
}

// newTimer makes one that does not work for a clock that the kernel does not
// have, or where it refuses.
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

// arm is asked first whether there is something to read, and sets the timer; and
// again when it has fired. To set it also takes back that it had fired before.
func (t *timer) arm(fd uintptr) bool {
	if t.armed {
		return true
	}
	t.armed = true
	_, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, fd, unix.TFD_TIMER_ABSTIME,
		uintptr(unsafe.Pointer(&t.at)), 0, 0, 0)
	return errno != 0
}

// sleepUntil reports whether the timer works.
func (t *timer) sleepUntil(at time.Duration) bool {
	if t.file == nil {
		return false
	}
	t.armed = false
	t.at.Value = unix.NsecToTimespec(int64(max(at, 1))) // 0 would be never
	err := t.conn.Read(t.ready)
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// cancel has every wait end: its time is over.
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
