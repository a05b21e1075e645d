//go:build linux

package ptrace

import (
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/perfevent"
	"stacksnap/task/procfs"
)

// Process is a live Linux process whose threads can be stopped. It implements [task.Process];
// what needs no stop is implemented by [procfs.Process].
//
// The kernel takes requests only from the operating system thread that attached, so Open locks
// the calling goroutine to its thread (runtime.LockOSThread), every method must be called from
// that goroutine, and Close unlocks it. (Memory may be read from other goroutines, one at a
// time.) If the target is our own child, nothing else in this program may wait for it meanwhile:
// a wait for a child also reports the stops that are ours.
//
// A thread that did not stop during a suspension (because it is deep in the kernel) stays
// attached until a later Threads, Suspend, DetachLate or Close finds it stopped. If Close does
// not, it leaves the goroutine locked. The kernel then detaches from the thread when the
// goroutine ends, and its operating system thread with it; or, if that is the program's first
// thread, when the program ends.
//
// [procfs.Process] is embedded because it implements most of [task.Process] and its
// capabilities: 18 methods. Its other exported methods are for this package.
type Process struct {
	*procfs.Process

	// From Open to Close.
	tracer   int  // our operating system thread
	ownChild bool // we are the target's parent
	priority priority
	alarm    alarm
	rescue   rescue
	threads  threadTable
	codeMask uint64
	hasMask  bool // codeMask was read from a thread

	// State that applies to every stop, see SetLimits.
	stopsNone bool // nothing is stopped: see [task.Limits].NoStop
	gate      *task.Gate

	// State of one stop, of the process or of one thread after another.
	options    task.StopOptions
	suspended  bool      // the process is stopped as a whole
	entered    bool      // the gate has been entered in this suspension
	ordered    time.Time // when the first thread was ordered to stop
	round      round
	copying    copying
	other      otherTracer
	resumeFunc func() error

	// State between stops.
	idleChecks int               // consecutive checks at which nothing had run
	observe    perfevent.Options // how running threads are copied; with Period 0 they are not
	chains     kernelChains      // where running threads are in the kernel

	// Buffers for results of system calls.
	info childInfo
	regs [maxRegset]byte
}

// Info implements [task.Process]. On arm64, CodeMask is exact only after the first Suspend.
func (p *Process) Info() task.Info {
	info := p.Process.Info()
	info.CodeMask = p.codeMask
	return info
}

// Capabilities implements [task.Process].
func (p *Process) Capabilities() task.Capabilities {
	return task.Capabilities{
		Stopper: p, Partial: true, Activity: p, Running: p, Maps: p, Waits: p, Peers: p, OpenFile: p.OpenFile, Lifetime: p.Lifetime, Outsider: p.Outsider,
		Connections: p.Connections, WokenOtherwise: p.WokenOtherwise, NoteBlocked: p.NoteBlocked, Stays: p.stays,
	}
}

// Threads implements [task.Process]. Outside a suspension it also makes room for the next one.
func (p *Process) Threads() ([]task.ThreadID, error) {
	if p.suspended {
		return p.threads.identify(), nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.settle()
	ids := p.threads.list(p.Files.Dir)
	if len(ids) == 0 || p.Mem.Replaced() {
		return nil, p.Exited()
	}
	p.Refill(!p.stopsNone)
	p.Listed(ids)
	return ids, nil
}

// check returns an error if the process is closed or the call is from the wrong thread.
func (p *Process) check() error {
	if p.IsClosed() {
		return os.ErrClosed
	}
	if unix.Gettid() != p.tracer {
		return errOtherThread
	}
	return nil
}

// Close implements [task.Process].
func (p *Process) Close() error {
	if err := p.check(); err != nil {
		return err
	}
	err := p.resume()
	p.settle()
	p.awaitGroupStops()
	p.Process.Close()
	p.alarm.close()
	p.priority.restore()
	if !slices.ContainsFunc(p.threads.all, func(th thread) bool { return th.phase.attached() }) {
		runtime.UnlockOSThread()
	}
	return err
}

// Describe implements [task.Process].
func (p *Process) Describe(id task.ThreadID, t *task.Thread) error {
	if err := p.Process.Describe(id, t); err != nil {
		return err
	}
	p.noteState(id, t.State)
	return nil
}

// noteState records the state in which a thread was described.
func (p *Process) noteState(id task.ThreadID, s task.State) {
	if th := p.threads.find(int(id)); th != nil {
		th.asleep, th.sleeps, th.ready = s == task.Uninterruptible, s == task.Sleeping, s == task.Running
	}
}

// isIn reports whether a thread is in state s now.
func (p *Process) isIn(tid int, s task.State) bool {
	now, _ := p.Files.State(tid)
	return now == s
}

// MappedAt implements [task.MapReader].
func (p *Process) MappedAt(a task.Addr) (task.Mapped, bool, error) {
	return p.MappingAt(a, p.suspended || p.copying.how != readNothing)
}
