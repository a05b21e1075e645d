package signals

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// raiseStop stops this program. The signal goes to the calling thread, so that it takes
// effect before the call returns.
func raiseStop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
}
