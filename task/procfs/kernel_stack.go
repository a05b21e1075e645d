//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// Where a thread is in the kernel is read before it is stopped, because in the stop it is there
// for us. The frames are reported only together with a stack from the same stay in the kernel.
// The proof is the thread's count of runs and its call (see ThreadFile): the count is the same
// before and after the reading, in which the thread was found off a processor; in the stop it is
// greater by one, for the run from where it waited into the stop; and the registers are those of
// the interrupted call.

// KernelStacks reads where threads are in the kernel.
type KernelStacks struct {
	isOn       bool
	isChannels bool                          // only wchan files can be read
	buf        []byte                        // for the text of a file
	known      map[string][]task.KernelFrame // by the text of the file
}

const (
	maxKernelText  = 16 << 10
	maxKernelKnown = 4096
)

// KernelStay is the system call and the kernel stack of a thread while it did not run.
type KernelStay struct {
	Runs   uint64 // how often it had been scheduled in before
	Call   task.Syscall
	Frames []task.KernelFrame // nil: not known
}

// IsOn reports whether CopyKernel was called.
func (k *KernelStacks) IsOn() bool { return k.isOn }

// IsIn reports whether registers, read in a stop, belong to a thread that was in this stay until
// it was ordered to stop.
func (s *KernelStay) IsIn(r *task.Registers) bool {
	c := &s.Call
	return c.State == task.InFault && isAt(r, c) || c.State == task.InCall && Interrupted(c, r)
}

// CopyKernel implements [task.RunningCopier].
func (p *Process) CopyKernel() (lacks string, err error) {
	if p.Kernel.known == nil {
		p.Kernel.known, p.Kernel.buf = map[string][]task.KernelFrame{}, make([]byte, maxKernelText)
	}
	if p.sealed != nil {
		return "", nil // the error is reported with each thread
	}
	p.Kernel.isOn = true
	_, err = p.Files.Dir.read(strconv.Itoa(p.Mem.TID) + "/stack")
	lacks = lacksKernel(err)
	p.Kernel.isChannels = lacks != ""
	return lacks, nil
}

// lacksKernel says why there are no kernel stacks, and what to do; "" if there are.
func lacksKernel(err error) string {
	switch {
	case err == nil, isGone(err):
		return ""
	case isDenied(err):
		return "of frames in the kernel only the innermost is told, for /proc/PID/task/TID/stack is for root (CAP_SYS_ADMIN): run as root"
	case errors.Is(err, unix.ENOENT):
		return "of frames in the kernel only the innermost is told: this kernel was built without CONFIG_STACKTRACE"
	}
	return fmt.Sprintf("of frames in the kernel only the innermost is told: read stack: %v", err)
}

// KernelStay reads where a thread is in the kernel. The result is empty if the thread ran
// meanwhile.
func (p *Process) KernelStay(tid int) KernelStay {
	e := p.Files.Find(tid)
	if e == nil {
		return KernelStay{}
	}
	runs, counted := p.Files.Count(e)
	call, err := p.Files.Call(tid)
	if !counted || err != nil || call.State != task.InCall && call.State != task.InFault {
		return KernelStay{}
	}
	frames := p.Kernel.read(p.Files.Dir.fd, tid)
	if again, ok := p.Files.Count(e); !ok || again != runs {
		return KernelStay{}
	}
	return KernelStay{runs, call, frames}
}

// read reads the kernel frames of a thread. dir is /proc/PID/task.
func (k *KernelStacks) read(dir, tid int) []task.KernelFrame {
	name, parse := "/stack\x00", parseKernelStack
	if k.isChannels {
		name, parse = "/wchan\x00", parseChannel
	}
	b := readTask(dir, tid, name, k.buf)
	if len(b) == len(k.buf) {
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	frames, known := k.known[string(b)]
	if known {
		return frames
	}
	if len(k.known) == maxKernelKnown {
		clear(k.known)
	}
	frames = parse(b)
	k.known[string(b)] = frames
	return frames
}

// KernelCut is the name of the frame that takes the place of callers that the kernel does not
// report.
const KernelCut = "<cut: callers in the kernel>"

// maxStackTrace is the maximum number of frames in a stack file (MAX_STACK_TRACE_DEPTH,
// fs/proc/base.c).
const maxStackTrace = 64

// parseKernelStack reads a stack file: a line for each frame, innermost first, such as "[<0>]
// name+0x1a/0x60 [module]" (proc_pid_stack, fs/proc/base.c, by "%pB"). A frame without an offset
// and size keeps the kernel's text as its name.
func parseKernelStack(b []byte) (frames []task.KernelFrame) {
	for line := range bytes.Lines(b) {
		text := bytes.TrimSpace(line)
		if _, rest, ok := bytes.Cut(text, []byte("] ")); ok && text[0] == '[' {
			text = rest
		}
		if len(text) == 0 {
			continue
		}
		frames = append(frames, parseKernelFrame(text))
		if len(frames) == maxStackTrace {
			return append(frames, task.KernelFrame{Name: KernelCut})
		}
	}
	return frames
}

func parseKernelFrame(text []byte) task.KernelFrame {
	text = text[:min(len(text), task.MaxKernelName)]
	symbol, module, _ := bytes.Cut(text, []byte(" ["))
	f := task.KernelFrame{Name: string(symbol), Module: string(bytes.TrimSuffix(module, []byte("]")))}
	plus := bytes.LastIndexByte(symbol, '+')
	if plus <= 0 {
		return f
	}
	offset, size, _ := bytes.Cut(symbol[plus+1:], []byte("/"))
	o, offsetErr := strconv.ParseUint(string(offset), 0, 64)
	s, sizeErr := strconv.ParseUint(string(size), 0, 64)
	if offsetErr == nil && sizeErr == nil && s != 0 {
		f.Name, f.Offset, f.Size = string(symbol[:plus]), o, s
	}
	return f
}

// parseChannel reads a wchan file: the function in which a thread waits, or 0 if it does not
// wait or the kernel does not report it.
func parseChannel(b []byte) []task.KernelFrame {
	name := string(bytes.TrimSpace(b))
	if name == "" || name == "0" {
		return nil
	}
	return []task.KernelFrame{{Name: name}, {Name: KernelCut}}
}

// kthreadd is the pid of the process that starts all kernel threads.
const kthreadd = 2

// KernelThreads describes the threads of the kernel itself as if they belonged to one process.
// It reads the frames of those that do not run. lacks says which part of that is not possible.
// There are no threads if /proc does not show them.
func KernelThreads() (info task.Info, threads []task.Thread, lacks string, err error) {
	dir, err := OpenDir("/proc")
	if err != nil {
		return info, nil, "", err
	}
	defer dir.Close()
	p := &Process{PID: kthreadd, Files: ThreadFiles{Dir: dir}}
	defer p.Files.Close()
	for _, pid := range dir.Numbers() {
		s, err := parseStat(p.Files.read(pid))
		if err != nil || s.flags&kernelThread == 0 {
			continue
		}
		if len(threads) == 0 {
			p.Mem.TID = pid
			if lacks, _ = p.CopyKernel(); p.Kernel.isChannels {
				lacks = "where the kernel's threads are is not told: that is for root (CAP_SYS_ADMIN)"
			}
		}
		threads = append(threads, p.kernelThread(pid, &s))
		p.Files.Drop(pid)
	}
	return kernelInfo(p), threads, lacks, nil
}

func (p *Process) kernelThread(pid int, s *Stat) task.Thread {
	t := task.Thread{ID: task.ThreadID(pid), Name: string(s.name), State: threadState(s.state), User: s.user, System: s.system}
	if t.State == task.Running {
		t.Err = ErrOnProcessor
		return t
	}
	t.Kernel = p.KernelStay(pid).Frames
	if len(t.Kernel) == 0 {
		t.Err = errNoKernelStack
	}
	return t
}

var errNoKernelStack = errors.New("the kernel does not tell where it is, or it ran meanwhile")

// ErrOnProcessor is returned for a thread that runs, and so cannot be read without a stop.
var ErrOnProcessor = errors.New("the thread was running, and is not read without a stop")

func kernelInfo(p *Process) task.Info {
	version := unix.Utsname{}
	_ = unix.Uname(&version)
	return task.Info{
		PID: kthreadd, Name: "kernel threads", OS: task.Linux, Live: true, Arch: HostArch(),
		OSVersion: "Linux " + unix.ByteSliceToString(version.Release[:]), Machine: machine(),
	}
}
