package mach

import (
	"errors"
	"fmt"

	"stacksnap/task"
)

// Open opens a running process with the weakest right that the kernel grants: its task's read
// port, or else the control port. It does not stop the target.
//
// The error is a *[task.NoProcessError], or a *[task.PermissionError] that says what would help,
// or it wraps [task.ErrUnsupported] if this program cannot do it at all.
func Open(pid int) (*Process, error) {
	k, err := systemKernel()
	if err != nil {
		return nil, err
	}
	return open(k, pid)
}

// openTries is how often a process's task is looked up while its loader is not known: exec gives
// the process another task.
const openTries = 4

func open(k kernel, pid int) (*Process, error) {
	if err := check(k, pid); err != nil {
		return nil, err
	}
	for tries := 1; ; tries++ {
		p, err := takeHold(k, pid)
		if err != nil {
			return nil, err
		}
		loader, r := p.askLoader()
		if r == timedOut {
			err = present(k, pid)
		}
		if err == nil && (r != timedOut || tries == openTries) {
			p.learn(loader)
			return p, nil
		}
		if err = errors.Join(err, p.Close()); err != nil {
			return nil, err
		}
	}
}

// takeHold returns a Process about which nothing has been read yet.
func takeHold(k kernel, pid int) (*Process, error) {
	t, answer, err := taskPort(k, pid)
	if err != nil {
		return nil, err
	}
	p := newProcess(k, pid, t)
	p.sharing.control = answer != ok
	return p, nil
}

func (p *Process) learn(loader dyldInfo) {
	p.info = readInfo(p.k, p.pid, loader)
	p.info.Footprint = p.footprint()
	if p.info.Arch == p.k.arch() && !p.info.Translated {
		p.queues, _ = p.k.queueOffsets()
	}
}

// check returns an error if no task port would help.
func check(k kernel, pid int) error {
	self, _ := k.self()
	switch {
	case pid == self:
		return &task.NoProcessError{PID: pid, Reason: "is stacksnap itself, which cannot stop itself and look"}
	case pid == 0:
		return &task.NoProcessError{PID: pid, Reason: "is the kernel, which has no user stacks"}
	case pid < 0:
		return &task.NoProcessError{PID: pid}
	}
	if n, e := k.number("sysctl.proc_translated"); e == ok && n == 1 {
		// machine_thread_get_state of an arm64 kernel knows no x86 flavor
		// (osfmk/arm64/status.c).
		return fmt.Errorf("this is the x86_64 build of stacksnap, translated by Rosetta, where no thread's registers can be read; use the arm64 build: %w", task.ErrUnsupported)
	}
	return present(k, pid)
}

// present returns an error if the process does not exist or is a zombie.
func present(k kernel, pid int) error {
	if k.exists(pid) == noProcess {
		return &task.NoProcessError{PID: pid}
	}
	if b, e := k.bsdInfo(pid); e == ok && b.status == statusZombie {
		return &task.NoProcessError{PID: pid, Reason: "is a zombie (it has ended already)"}
	}
	return nil
}

// taskPort requests the read port, and if that is refused the control port. readErr is the
// result of the first request.
func taskPort(k kernel, pid int) (t port, readErr Errno, err error) {
	read, errno := k.taskReadForPID(pid)
	if errno == ok && read.valid() {
		return read, errno, nil
	}
	control, ret := k.taskForPID(pid)
	if ret == success && control.valid() {
		return control, errno, nil
	}
	if err := present(k, pid); err != nil { // it may have ended just now
		return portNull, errno, err
	}
	return portNull, errno, permissionError(k, pid, errno, ret)
}
