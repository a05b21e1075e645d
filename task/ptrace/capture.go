//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

var errNotSuspended = errors.New("the target is not suspended")

// Capture implements [task.Process]. A stack that cannot be read costs only the
// stack: the registers are there, and the error is a *[task.FaultError].
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	t.Stacks = t.Stacks[:0]
	switch p.reading {
	case readNothing:
		return errNotSuspended
	case readRunning:
		return p.readWithoutStop(int(id), t)
	}
	th := p.threads.find(int(id))
	if th == nil {
		return task.ErrThreadGone
	}
	p.shareTime()
	t.Spared, t.Call, t.Kernel = false, task.Syscall{}, nil
	if th.phase == spared {
		if done, err := p.captureSpared(th, t); done {
			return err
		}
	}
	if th.phase != stopped && p.leaves {
		return p.whyLeft(th)
	}
	if th.phase != stopped {
		return p.absence(th)
	}
	if err := p.captureRegisters(th, &t.Registers); err != nil {
		return err
	}
	t.Turn, t.Processor = p.turnOf(th)
	if th.halted {
		t.State = task.Stopped // it may have been called running, on its way back from an earlier stop of ours
	}
	if interruptedIn(&th.call, &t.Registers) {
		t.Call = th.call
	}
	t.Kernel = p.leftKernel(th, &t.Registers)
	return p.copyStack(t)
}

// notStopped says why a thread does not stand, nil when it does.
func (th *thread) notStopped() error {
	switch th.phase {
	case stopped:
		return nil
	case seized, busy:
		if th.asleep {
			return errUninterruptible
		}
		return errNotStopped
	case roused:
		return errRoused
	case refused:
		return errRefused
	}
	return task.ErrThreadGone
}

// captureRegisters reads the registers as the kernel shows them: on x86 a system call
// under way is not wound back to its start; on ARM one that is to be made again is.
func (p *Process) captureRegisters(th *thread, r *task.Registers) error {
	n, errno := regset(th.tid, unix.NT_PRSTATUS, p.regs[:])
	if errno == unix.ESRCH { // only SIGKILL, to the process, ends a stop
		th.phase = dying
		return p.exited
	}
	if errno != 0 {
		return errno
	}
	return decodeRegisters(hostArch, p.regs[:n], r)
}

// LimitStop implements [task.StopLimiter].
func (p *Process) LimitStop(d time.Duration) { p.maxStop = d }

// shareTime gives the next copy its part of the time that the stop may still take:
// as much as each thread gets that is still to be copied.
func (p *Process) shareTime() {
	now := time.Now()
	left := max(0, p.began.Add(p.maxStop).Sub(now))
	p.mem.until = now.Add(left / time.Duration(max(1, p.toCopy)))
	p.toCopy--
}

// copyStack copies from just below sp to the end of the mapping that sp is in,
// as far as there is room.
func (p *Process) copyStack(t *task.Thread) error {
	t.Stacks = t.Stacks[:0]
	sp := t.Registers.SP()
	from, top := p.spans.stackRange(sp)
	room := t.Buffer()
	room = room[:cap(room)]
	if top != 0 && uint64(top-from) < uint64(len(room)) {
		room = room[:top-from]
	}
	n, errno := p.mem.copy(room, from)
	if n == 0 && from < sp { // what is below sp may be another page
		from = sp
		n, errno = p.mem.copy(room[:max(0, len(room)-task.RedZone)], from)
	}
	if top == 0 || n < len(room) {
		p.spans.stale = true
	}
	if n == 0 {
		if errno == 0 {
			return nil // no room at all
		}
		return p.mem.faults.next(from, errno)
	}
	cut := errno == errnoBlocks || errno == errnoOverTime || errno == errnoStarved
	if n < len(room) && !cut && (top == 0 || from+task.Addr(n) < top) {
		top = from + task.Addr(n)
	}
	t.Stacks = append(t.Stacks, task.Stack{Base: from, Bytes: room[:n], Top: top})
	if cut {
		return p.mem.faults.next(from+task.Addr(n), errno)
	}
	return nil
}
