//go:build linux

package ptrace

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task/procfs"
)

// rescue resolves a deadlock that the kernel has between exec and attaching. A thread that calls
// exec holds its process's cred_guard_mutex while it waits for the other threads to end; a
// traced thread has ended only when its tracer has reaped it; and its tracer may be asleep in
// PTRACE_SEIZE, which takes the same mutex (de_thread, fs/exec.c; ptrace_attach,
// kernel/ptrace.c). But any thread of the tracing process may reap it.
type rescue struct {
	pid    int
	timer  *time.Timer
	active atomic.Bool  // the timer is running
	turns  atomic.Int64 // number of starts and ends of calls: odd during a call
	last   atomic.Int64 // value of turns when the timer last fired
}

// rescueAfter is how long one call may take. A call that does not wait for the mutex takes a
// microsecond.
const rescueAfter = 10 * time.Millisecond

// watchOver sets r up for a process.
func (r *rescue) watchOver(pid int) {
	r.pid = pid
	r.timer = time.AfterFunc(time.Hour, r.check)
	r.timer.Stop()
}

// seize attaches to a thread, guarded by the timer. It allocates nothing.
func (r *rescue) seize(tid int) unix.Errno {
	r.turns.Add(1)
	if !r.active.Load() {
		r.active.Store(true)
		r.timer.Reset(rescueAfter)
	}
	errno := seize(tid)
	r.turns.Add(1)
	return errno
}

// check runs when the timer fires, in a goroutine of its own. It does not set the timer again if
// there was no call since the last time.
func (r *rescue) check() {
	turns := r.turns.Load()
	switch {
	case r.last.Swap(turns) != turns:
	case turns%2 == 1:
		r.reap()
	default:
		r.active.Store(false)
		if r.turns.Load() == turns {
			return
		}
		r.active.Store(true)
	}
	r.timer.Reset(rescueAfter)
}

// reap reaps every thread of the process that we trace and that has ended. exec does not wait
// until the first thread is reaped.
func (r *rescue) reap() {
	dir, err := procfs.OpenDir(fmt.Sprintf("/proc/%d/task", r.pid))
	if err != nil {
		return
	}
	defer dir.Close()
	var info childInfo
	for _, tid := range dir.Numbers() {
		if tid != r.pid && checkStop(tid, &info) == 0 && info.pid != 0 && info.ended() {
			reap(tid, &info)
		}
	}
}
