package command

import (
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// stopBetween has Ctrl-Z (SIGTSTP) stop this program, from now on, only while it
// has nothing stopped itself: the target would stand as long. Where the signal is
// ignored it stays so.
func stopBetween(gate *task.Gate) {
	if signal.Ignored(unix.SIGTSTP) {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTSTP)
	go func() {
		stop := stopNow(gate)
		for range asked {
			stop()
		}
	}()
}

// stopNow returns what stops this program likewise, and returns when it goes on.
func stopNow(gate *task.Gate) func() {
	return func() {
		runtime.LockOSThread() // to which the signal is sent, so that it is here by the time that the call returns
		defer runtime.UnlockOSThread()
		gate.Between(func() { _ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP) })
	}
}
