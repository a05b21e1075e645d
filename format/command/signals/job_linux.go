package signals

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// raiseStop stops this program: the signal is sent to the calling thread, so that it
// has arrived by the time that the call returns.
func raiseStop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
}
