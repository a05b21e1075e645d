// Package mach reads a live macOS process through its Mach task. Every
// decision is made in Go, against an interface of kernel calls, and is tested
// on any system; the calls themselves need macOS and cgo.
//
// Facts about the system come from XNU's sources (xnu-11417) and are cited by
// header and name.
package mach

import (
	"errors"
	"fmt"
	"time"

	"stacksnap/task"
)

// Process is a live macOS process. It implements [task.Process].
type Process struct {
	k    kernel
	pid  int
	task port // a send right we own: the read port, or the control port
	info task.Info

	held    []held          // the threads of the last listing, in the kernel's order
	next    []held          // the listing under way
	ids     []task.ThreadID // what Threads returned
	at      int             // where the last search in held ended
	owed    []port          // references to release once the target runs
	unfreed []port          // and an array of ports to free then
	lost    int             // references that could not be released
	closed  bool

	gate    *task.Gate // held during each stop; nil: none
	stopped bool
	last    task.Stop // the last stop
	halted  bool      // stopped by someone else, at the last listing before a stop
	// unstopped means that captures are made while the target runs.
	unstopped bool
	resume    func() error  // made once: a method value allocates
	stateWait time.Duration // time left in this stop for threads that have no state yet

	words    [maxStateWords]uint32 // where thread_get_state writes
	failures []captureError        // errors that were allocated before the stop
	fault    task.FaultError       // the error of memory reads during a stop
	peeked   [1]byte               // buffer for a trial read
	regions  regionCalls
	mapped   stopRegions
	foreseen []foreseenStack // stacks of the stop that are to be checked after it
	ownData  task.Addr       // from a thread's handle to the end of its stack's region; 0: not known
	exited   *task.ExitedError

	sharing sharing
	prompt  promptness

	asked <-chan loaderAnswer // a call that has not returned yet; nil: none

	queues     queueOffsets
	noFiles    bool // proc_pidfdinfo does not work
	noExtended bool // THREAD_EXTENDED_INFO does not work
}

// held is a thread to whose port we own one reference.
type held struct {
	port    port
	id      task.ThreadID
	stack   known
	backoff stateBackoff

	foreseen foreseen
}

// errTaskEnded is wrapped by the ExitedErrors of this package.
var errTaskEnded = errors.New("its Mach task has ended")

// newProcess takes over the caller's reference to the task's port.
func newProcess(k kernel, pid int, t port) *Process {
	p := &Process{k: k, pid: pid, task: t}
	p.exited = &task.ExitedError{PID: pid, Err: errTaskEnded}
	p.resume = p.letRun
	p.reserve(0)
	return p
}

// Info returns what was read when the process was opened.
func (p *Process) Info() task.Info { return p.info }

// Capabilities implements [task.Process].
func (p *Process) Capabilities() task.Capabilities {
	return task.Capabilities{
		Stopper: p, Activity: p, Pacer: p, Loader: p, OpenFile: p.OpenFile, ThreadHandle: p.ThreadHandle,
	}
}

// Close lets the target run on, if it was stopped, and releases every reference. A second call
// does nothing.
func (p *Process) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	err := p.letRun()
	var exited *task.ExitedError
	if errors.As(err, &exited) {
		err = nil // it no longer runs, which is not an error of Close
	}
	p.settle()
	p.EndSeries()
	for _, h := range p.held {
		p.giveBack(h.port)
	}
	p.held = nil
	p.giveBack(p.task)
	if p.lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d references to Mach ports, arrays or mappings of pid %d could not be given back", p.lost, p.pid))
	}
	return err
}

// releaseTries is how often a release is tried. The kernel refuses only the release of what is
// not ours, so a second try does no harm.
const releaseTries = 2

// giveBack releases one reference that we own.
func (p *Process) giveBack(name port) {
	for range releaseTries {
		if p.k.release(name) == success {
			return
		}
	}
	p.lost++
}

// settle releases what was left over from the stop.
func (p *Process) settle() {
	for _, name := range p.owed {
		p.giveBack(name)
	}
	p.owed = p.owed[:0]
	p.freePorts(p.unfreed)
	p.unfreed = nil
	p.checkForeseen()
}

// taskError returns the error for a failed call about the whole task. It may allocate, because a
// stop ends with it.
func (p *Process) taskError(call string, r Return) error {
	if p.taskGone(r) {
		return p.exited
	}
	return &callError{call, r}
}

// taskGone reports whether a result means that the task has ended. If the result can mean
// something else, the port and the pid are checked.
func (p *Process) taskGone(r Return) bool {
	switch {
	case r.ended():
		return true
	case r.mayHaveEnded():
		return p.k.isDead(p.task) || p.gone()
	}
	return false
}

// gone reports whether the process no longer exists, has ended, or is about to: it is then
// marked as exiting, and task_info fails for its task (osfmk/kern/task.c, task_info).
func (p *Process) gone() bool {
	if p.k.exists(p.pid) == noProcess {
		return true
	}
	b, e := p.k.bsdInfo(p.pid)
	switch {
	case e != ok:
		return false
	case b.status == statusZombie:
		return true
	case b.flags&flagExiting != 0:
		_, r := p.k.taskBasic(p.task)
		return r != success
	}
	return false
}
