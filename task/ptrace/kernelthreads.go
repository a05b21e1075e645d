//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// kthreadd is the process that starts all threads of the kernel.
const kthreadd = 2

// KernelThreads tells of the threads of the kernel itself, as of one process, with
// where those are that do not run, and what of that cannot be told. There are none
// where /proc does not show them.
func KernelThreads() (info task.Info, threads []task.Thread, lacks string, err error) {
	dir, err := openProc("/proc")
	if err != nil {
		return info, nil, "", err
	}
	defer dir.close()
	p := &Process{pid: kthreadd, threads: threadTable{dir: dir.fd}, stats: taskStats{dir: dir.fd}}
	defer p.rests.close()
	for _, pid := range dir.numbers() {
		s, err := parseStat(p.stats.read(pid))
		if err != nil || s.flags&kernelThread == 0 {
			continue
		}
		if len(threads) == 0 {
			p.mem.tid = pid
			if lacks, _ = p.TellKernel(); p.kernel.isChannels {
				lacks = "where the kernel's threads are is not told: that is for root (CAP_SYS_ADMIN)"
			}
		}
		threads = append(threads, p.kernelThread(pid, &s))
		p.rests.drop(pid)
	}
	return kernelInfo(p), threads, lacks, nil
}

func (p *Process) kernelThread(pid int, s *stat) task.Thread {
	t := task.Thread{ID: task.ThreadID(pid), Name: string(s.name), State: threadState(s.state), User: s.user, System: s.system}
	if t.State == task.Running {
		t.Err = errOnProcessor
		return t
	}
	t.Kernel = p.stayOf(pid).frames
	if len(t.Kernel) == 0 {
		t.Err = errNoKernelStack
	}
	return t
}

var errNoKernelStack = errors.New("the kernel does not tell where it is, or it ran meanwhile")

func kernelInfo(p *Process) task.Info {
	version := unix.Utsname{}
	_ = unix.Uname(&version)
	return task.Info{
		PID: kthreadd, Name: "kernel threads", OS: task.Linux, Live: true, Arch: hostArch,
		OSVersion: "Linux " + unix.ByteSliceToString(version.Release[:]), Machine: machine(),
	}
}
