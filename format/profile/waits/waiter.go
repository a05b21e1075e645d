package waits

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// Waiter returns the frame of own code that says best what a thread waits for; nil if there is
// no own code. That is the outermost of the known functions which wait for something and call
// one another, directly or by functions without a name; where there are none, it is the innermost
// frame.
func Waiter(stack []*profile.Node) (waiter *profile.Node) {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i]; {
		case isOwnWaiter(n):
			waiter = n
		case waiter != nil && n.Function != "":
			return waiter
		}
	}
	if waiter == nil {
		waiter = owncode.Innermost(stack)
	}
	return waiter
}

// isOwnWaiter reports whether a frame is of own code, is no guess, and waits for something.
func isOwnWaiter(n *profile.Node) bool {
	return functionRole(n.Function) == waiterRole && owncode.Innermost([]*profile.Node{n}) != nil
}

// Purpose returns what a known function waits for, as in "for a row lock"; empty if that is
// not known.
func Purpose(function string) string {
	for name := range names(function) {
		if p := purposes[name]; p != "" {
			return p
		}
	}
	return ""
}

// purposes are those of some of the [knownWaiters] whose own calls do not tell.
var purposes = map[string]string{
	// PostgreSQL
	"XactLockTableWait": "for another transaction to end", "MultiXactIdWait": "for other transactions to end",
	"LockAcquire": "for a lock of the database", "LockAcquireExtended": "for a lock of the database",
	"WaitOnLock": "for a lock of the database", "ProcSleep": "for a lock of the database",
	"LWLockAcquire":        "for a lightweight lock of the database",
	"LockBufferForCleanup": "for other processes to release a buffer", "SyncRepWaitForLSN": "for a standby server to confirm a commit",
	"WaitForParallelWorkersToFinish": "for parallel workers to finish",
	// MySQL
	"MDL_context::acquire_lock": "for a metadata lock", "lock_wait_suspend_thread": "for a row lock",
}
