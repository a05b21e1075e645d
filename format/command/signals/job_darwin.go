package signals

import (
	"os"

	"golang.org/x/sys/unix"
)

// raiseStop stops this program, all its threads, before the call returns
// (bsd/kern/kern_sig.c, psignal_internal: the sender itself suspends the task).
func raiseStop() { _ = unix.Kill(os.Getpid(), unix.SIGSTOP) }
