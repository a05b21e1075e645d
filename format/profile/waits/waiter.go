package waits

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// Waiter returns the frame of own code that best says what a thread waits for; nil if there is
// no own code. Known functions of own code that wait for something often call each other,
// directly or through functions without a name. Waiter returns the outermost function of the
// innermost such chain. If there is none, it returns the innermost frame of own code that is not
// a wrapper of a call.
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
		waiter = outOfWrappers(stack)
	}
	return waiter
}

// outOfWrappers returns the innermost frame of own code. If that is a wrapper, it returns the
// frame that called it, directly or through other wrappers or functions without a name.
func outOfWrappers(stack []*profile.Node) *profile.Node {
	innermost := owncode.Innermost(stack)
	if innermost == nil || !wrappers.has(innermost.Function) {
		return innermost
	}
	for i := slices.Index(stack, innermost) - 1; i >= 0; i-- {
		switch n := stack[i]; {
		case n.Function == "" || wrappers.has(n.Function):
		case owncode.Innermost(stack[i:i+1]) != nil:
			return n
		default:
			return innermost
		}
	}
	return innermost
}

// wrappers are functions that only make a call, and repeat it if it was interrupted or incomplete. What
// waits is the function that called them.
var wrappers = set{
	"zread", "zreadc", "zreadintr", "zreadn", // bash
	"safe_read", "safe_write", "full_read", "full_write", "safe_pread", "retrying_read", // gnulib
	"xread", "xwrite", "read_in_full", "write_in_full", // git
	"safe_poll", "xpoll", "nonblock_immune_read", // BusyBox
	"atomicio", "atomicio6", // OpenSSH
	"readn", "writen", "Readn", "Writen", "read_all", "write_all", "robust_read", "robust_write",
}

// isOwnWaiter reports whether a frame is of own code, is no guess, and waits for something.
func isOwnWaiter(n *profile.Node) bool {
	return functionRole(n.Function) == waiterRole && owncode.Innermost([]*profile.Node{n}) != nil
}

// Purpose returns what a known function waits for, such as "for a row lock"; empty if that is
// not known.
func Purpose(function string) string {
	for name := range names(function) {
		if p := purposes()[name]; p != "" {
			return p
		}
	}
	return ""
}

// LookUp returns the outermost function of a stack that looks up a host name, nil if there is none,
// and the address of the DNS server whose answer the thread waits for, empty if it is not known to wait
// for one. The stack begins with the outermost frame.
func LookUp(w *profile.Wait, stack []*profile.Node) (by *profile.Node, server string) {
	if w.Lock != profile.NoLock {
		return nil, ""
	}
	for _, n := range stack {
		if lookUpFunctions.has(strings.TrimRight(undecorated(n.Function), "0123456789")) {
			by = n
			break
		}
	}
	if found := nameServer().FindStringSubmatch(w.Object); found != nil {
		server = strings.Trim(found[1], "[]")
	}
	return by, server
}

// nameServer matches the object of a call on one descriptor, a socket that is connected to the port of
// name servers.
var nameServer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^fd \d+ (?:udp|tcp) socket \S+ to (\S+):53$`)
})

// purposes are what some of the [knownWaiters] wait for. Their system calls do not show it.
var purposes = sync.OnceValue(func() map[string]string {
	return map[string]string{
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
})
