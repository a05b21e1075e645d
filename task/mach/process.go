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
	at      int             // where the last look-up in held ended
	owed    []port          // references to give back once the target runs,
	unfreed []port          // and an array of them
	lost    int             // references that could not be given back
	closed  bool

	gate    *task.Gate // within which it is stopped; nil: none
	stopped bool
	last    task.Stop // the last stop
	halted  bool      // by someone else, at the last listing before a stop
	// unstopped marks what is captured while the target runs.
	unstopped bool
	resume    func() error  // made once: a method value allocates
	stateWait time.Duration // left in this stop for threads that have no state yet

	words    [maxStateWords]uint32 // where thread_get_state writes
	failures []captureError        // for the errors of a stop, made before it
	fault    task.FaultError       // the one error of memory reads during a stop
	peeked   [1]byte               // where a read is tried
	regions  regionCalls
	mapped   stopRegions
	foreseen []foreseenStack // of the stop, to be checked after it
	ownData  task.Addr       // how far above a thread's handle its stack's region ends; 0: not known
	exited   *task.ExitedError

	sharing sharing
	prompt  promptness

	asked <-chan loaderAnswer // a question that is not answered yet; nil: none

	queues     queueOffsets
	noFiles    bool // proc_pidfdinfo is not to be asked
	noExtended bool // THREAD_EXTENDED_INFO is not to be asked for
}

// held is a thread to whose port we hold one reference.
type held struct {
	port    port
	id      task.ThreadID
	stack   known
	backoff stateBackoff

	foreseen foreseen
}

// errTaskEnded is what an ExitedError of this package wraps.
var errTaskEnded = errors.New("its Mach task has ended")

// newProcess takes over the caller's reference to the task's port.
func newProcess(k kernel, pid int, t port) *Process {
	p := &Process{k: k, pid: pid, task: t}
	p.exited = &task.ExitedError{PID: pid, Err: errTaskEnded}
	p.resume = p.letRun
	p.reserve(0)
	return p
}

// Info returns what was found out when the process was opened.
func (p *Process) Info() task.Info { return p.info }

// Capabilities implements [task.Process].
func (p *Process) Capabilities() task.Capabilities {
	return task.Capabilities{
		Stopper: p, Activity: p, Pacer: p, Loader: p, OpenFile: p.OpenFile, ThreadHandle: p.ThreadHandle,
	}
}

// Close lets the target run on, if it was stopped, and gives back every
// reference. A second call does nothing.
func (p *Process) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	err := p.letRun()
	var exited *task.ExitedError
	if errors.As(err, &exited) {
		err = nil // it runs no longer, which is not Close's trouble
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

// releaseTries is how often it is tried to give something back. The kernel
// refuses that only for what is none of ours, so that trying again does no
// harm.
const releaseTries = 2

// giveBack returns one reference that we own.
func (p *Process) giveBack(name port) {
	for range releaseTries {
		if p.k.release(name) == success {
			return
		}
	}
	p.lost++
}

// settle gives back what was left over from the stop.
func (p *Process) settle() {
	for _, name := range p.owed {
		p.giveBack(name)
	}
	p.owed = p.owed[:0]
	p.freePorts(p.unfreed)
	p.unfreed = nil
	p.checkForeseen()
}

// taskError makes the error of a call about the whole task. It may allocate:
// a stop ends with it.
func (p *Process) taskError(call string, r Return) error {
	if p.taskGone(r) {
		return p.exited
	}
	return &callError{call, r}
}

// taskGone reports whether an answer means that the task has ended. Where the
// answer has other meanings also, the port and the pid are asked.
func (p *Process) taskGone(r Return) bool {
	switch {
	case r.ended():
		return true
	case r.mayHaveEnded():
		return p.k.isDead(p.task) || p.gone()
	}
	return false
}

// gone reports whether the process is no longer there, has ended, or is about to:
// then it is marked so, and its task answers no question about itself any more
// (osfmk/kern/task.c, task_info).
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
