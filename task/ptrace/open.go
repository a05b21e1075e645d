//go:build linux

package ptrace

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs"
)

// Open opens a running process. It does not yet attach to anything, and stops nothing. pid may
// be the id of one of the process's threads. The error may be a *[task.NoProcessError] or a
// *[task.PermissionError].
func Open(pid int) (*Process, error) { return openWith(pid, procfs.Open, false) }

// Look opens a process that is never stopped, see [task.Limits]. If something may not be read,
// that is an error of each thread, not of Look.
func Look(pid int) (*Process, error) { return openWith(pid, procfs.Look, true) }

func openWith(pid int, read func(pid int) (*procfs.Process, error), look bool) (*Process, error) {
	host := procfs.HostArch()
	if host == task.UnknownArch {
		return nil, task.Unsupported()
	}
	runtime.LockOSThread()
	proc, err := read(pid)
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	p := &Process{Process: proc, copying: copying{most: task.DefaultMaxStop}, tracer: unix.Gettid(), codeMask: firstCodeMask(host), stopsNone: look}
	p.resumeFunc = p.resume
	if !look {
		p.prepare()
	}
	p.threads.grow(0)
	return p, nil
}

// prepare sets up what a stop needs.
func (p *Process) prepare() {
	p.ownChild = p.Process.Info().ParentPID == os.Getpid()
	p.priority.raise(p.tracer)
	p.alarm.setUp(p.tracer)
	p.rescue.watchOver(p.PID)
	p.Refill(true)
	p.threads.room = roomForNew
}

// firstCodeMask returns the code mask that is used until a thread has been stopped.
func firstCodeMask(host task.Arch) uint64 {
	if host == task.ARM64 {
		return 1<<arm64AddressBits - 1
	}
	return ^uint64(0)
}
