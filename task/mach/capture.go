package mach

import (
	"errors"
	"time"

	"stacksnap/task"
)

// XNU waits in task_suspend until the threads are stopped. On a kernel that does not, a thread
// that has not stopped yet has a state of zeros, and is read again until these times have
// passed. They are totals for all threads in one stop.
const (
	maxStateWait  = 250 * time.Millisecond
	stateWaitStep = 500 * time.Microsecond
	nullPCWait    = 10 * time.Millisecond // for a pc of 0 beside a good sp: a call of a null pointer
)

// errTranslated: the arm64 kernel refuses x86 flavors of thread state
// (osfmk/arm64/status.c, machine_thread_get_state), and its own show Rosetta's
// translated code, not the program's. What is public is not enough for a walk that
// is known to be right:
//
//   - In translated code x0 to x15 hold rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi
//     and r8 to r15 (FFRI's Project Champollion, part 1), and the program's stack
//     has its own return addresses. But nothing tells that a pc is in such code,
//     at an instruction at which this holds, except Rosetta's own tables.
//   - A thread that waits is in Rosetta's runtime, which has saved them: rsp at 48
//     and rbp at 56 of its context (osfmk/kern/cambria_layout.h of xnu-11417). Where
//     a thread's context is, the public sources do not say.
//   - The translation's pc becomes the program's by an instruction map in the
//     translated files (dyld's aotInfoArray names them), of unknown format, and for
//     code translated as it runs by the runtime's own records. Without it the
//     innermost frame, which matters most, is unknown.
//
// Apple's debugserver hands such a process over to a twin that is Rosetta's.
var errTranslated = errors.New("the process is translated by Rosetta: its x86_64 registers cannot be read from outside")

// errNoRoom is the error for threads beyond those for which errors were allocated.
var errNoRoom = errors.New("the thread could not be captured")

// stateBackoff is for a thread for which a stop waited in vain. The next stops do not wait for
// it, twice as many each time; otherwise one such thread would prolong the stop of every sample.
type stateBackoff struct {
	vain int // stops that waited in vain
	pass int // stops that will still not wait
}

const maxVain = 8 // passes 256 stops

func (r *stateBackoff) wasVain() {
	r.vain = min(r.vain+1, maxVain)
	r.pass = 1 << r.vain
}

// passes reports whether this stop does not wait, and counts it.
func (r *stateBackoff) passes() bool {
	if r.pass == 0 {
		return false
	}
	r.pass--
	return true
}

// captureError says what could not be captured of one thread, and why.
type captureError struct {
	what string
	at   task.Addr // where that is an address; else 0
	ret  Return
}

func (e *captureError) Error() string {
	s := e.what
	if e.at != 0 {
		s += " at " + e.at.String()
	}
	if e.ret != success {
		s += ": " + e.ret.Error()
	}
	return s
}

func (e *captureError) Unwrap() error {
	if e.ret == success {
		return nil
	}
	return e.ret
}

// Capture copies a thread's registers and stack while the target is stopped. Its error is
// [task.ErrThreadGone], a *[task.ExitedError], or says what could not be copied; registers that
// could be read are set in any case. It allocates nothing if t.Stacks has room for one stack.
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	t.Stacks, t.Unstopped = t.Stacks[:0], p.unstopped
	t.Registers = task.Registers{Arch: p.info.Arch}
	h := p.lookup(id)
	if h == nil {
		return task.ErrThreadGone
	}
	if p.info.Translated {
		return errTranslated
	}
	if err := p.readRegisters(h, &t.Registers); err != nil {
		t.Registers = task.Registers{Arch: p.info.Arch}
		return err
	}
	if p.copyShared(h, t) {
		return nil
	}
	return p.copyStack(h, t)
}

// readRegisters repeats the call until there is a state, for as long as the stop may wait. XNU
// returns KERN_ABORTED when the wait for the thread was interrupted (osfmk/kern/thread_act.c,
// thread_get_state_internal).
func (p *Process) readRegisters(h *held, regs *task.Registers) error {
	layout := stateLayout(p.info.Arch)
	if layout == nil {
		return p.fail("no thread state is known of this architecture", 0, success)
	}
	for waited := time.Duration(0); ; waited += stateWaitStep {
		n, r := p.k.state(h.port, layout.flavor, p.words[:layout.words])
		if r == success {
			layout.decode(p.words[:n], p.info.CodeMask, regs)
			if regs.SP() != 0 && (regs.PC() != 0 || waited >= nullPCWait || p.stateWait <= 0) {
				h.backoff = stateBackoff{}
				return nil
			}
		} else if r != aborted {
			return p.threadError("thread_get_state", h.port, r)
		}
		if p.stateWait <= 0 || waited == 0 && h.backoff.passes() {
			if waited > 0 {
				h.backoff.wasVain()
			}
			return p.fail("the thread did not come to rest: thread_get_state gives no registers", 0, r)
		}
		p.stateWait -= stateWaitStep
		p.k.pause(stateWaitStep)
	}
}

// threadError returns the error for a failed call: that the task or the thread has ended, or
// that only the call failed.
func (p *Process) threadError(call string, name port, r Return) error {
	if !p.threadGone(name, r) {
		return p.fail(call, 0, r)
	}
	if p.k.isDead(p.task) || p.gone() {
		return p.exited
	}
	return task.ErrThreadGone
}

// fail returns an error without allocating, during a stop.
func (p *Process) fail(what string, at task.Addr, r Return) error {
	if len(p.failures) == cap(p.failures) {
		return errNoRoom
	}
	p.failures = append(p.failures, captureError{what, at, r})
	return &p.failures[len(p.failures)-1]
}
