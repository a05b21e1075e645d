//go:build linux

package ptrace

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs"
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
	if th.phase == skipped {
		if done, err := p.captureSkipped(th, t); done {
			return err
		}
	}
	if th.phase != stopped && p.stopsNone {
		return p.whyNotRead(th)
	}
	if th.phase != stopped {
		return p.absence(th)
	}
	if err := p.captureRegisters(th, &t.Registers); err != nil {
		return err
	}
	t.Turn, t.Processor = p.classifyOnCPU(th)
	if th.groupStopped {
		t.State = task.Stopped // it may have been called running, on its way back from an earlier stop of ours
	}
	if procfs.Interrupted(&th.call, &t.Registers) {
		t.Call = th.call
	}
	t.Kernel = p.leftKernel(th, &t.Registers)
	return p.CopyStack(t)
}

// notStopped says why a thread has not stopped, nil when it has.
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
		return p.Exited()
	}
	if errno != 0 {
		return errno
	}
	return decodeRegisters(procfs.HostArch(), p.regs[:n], r)
}

// shareTime gives the next copy its part of the time that the stop may still take:
// as much as each thread gets that is still to be copied.
func (p *Process) shareTime() {
	now := time.Now()
	left := max(0, p.began.Add(p.maxStop).Sub(now))
	p.Mem.LimitUntil(now.Add(left / time.Duration(max(1, p.toCopy))))
	p.toCopy--
}
