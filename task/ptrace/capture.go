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

// copying is the state that Capture depends on: how threads are read, and how much time is left.
type copying struct {
	how   reading
	most  time.Duration // how long a stop may copy, see [task.Limits]
	began time.Time     // start of the stop, from which most counts
	left  int           // threads that are still to be copied in it
}

// reading is how Capture reads a thread.
type reading uint8

const (
	readNothing   reading = iota
	readSuspended         // all threads are stopped
	readStopped           // this thread is stopped
	readRunning           // no thread is stopped
)

// Capture implements [task.Process]. If the stack cannot be read, t has the registers
// nevertheless, and the error is a *[task.FaultError].
func (p *Process) Capture(id task.ThreadID, t *task.Thread) error {
	t.Stacks = t.Stacks[:0]
	switch p.copying.how {
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
	t.Skipped, t.Call, t.HasEnded, t.Kernel = false, task.Syscall{}, false, nil
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
	if err := p.captureRegisters(th, t); err != nil {
		return err
	}
	t.OnCPUState, t.Processor = p.classifyOnCPU(th)
	if th.groupStopped {
		t.State = task.Stopped // Describe may have seen it running, on its way back from an earlier stop of ours
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

// captureRegisters reads the registers as the kernel shows them: on x86 a system call that is
// under way is not wound back to its start; on ARM a call that will be restarted is.
func (p *Process) captureRegisters(th *thread, t *task.Thread) error {
	n, errno := regset(th.tid, unix.NT_PRSTATUS, p.regs[:])
	if errno == unix.ESRCH { // a stop is ended only by a SIGKILL to the process
		th.phase = dying
		return p.Exited()
	}
	if errno != 0 {
		return errno
	}
	if err := decodeRegisters(procfs.HostArch(), p.regs[:n], &t.Registers); err != nil {
		return err
	}
	t.EndedCall, t.HasEnded = endedCall(p.regs[:n], &t.Registers)
	return nil
}

// shareTime limits the next copy to its share of the remaining time of the stop. All threads
// that are still to be copied have equal shares.
func (p *Process) shareTime() {
	now, c := time.Now(), &p.copying
	left := max(0, c.began.Add(c.most).Sub(now))
	p.Mem.LimitUntil(now.Add(left / time.Duration(max(1, c.left))))
	c.left--
}
