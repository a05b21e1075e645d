//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/kallsyms"
)

// Where a thread is in the kernel is read before it is stopped, for in the stop it is
// there for us; and it is told only with a stack of the same stay in the kernel. That
// is proven by its count of runs and its call (see rest): the count is the same before
// and after the reading, in which the thread was found off a processor; and in the
// stop it is greater by one, the run from where it waited into the stop, and the
// registers are those of the call, interrupted.

var _ task.KernelTeller = (*Process)(nil)

// kernelSight reads where threads are in the kernel.
type kernelSight struct {
	isOn       bool
	isChannels bool                          // only wchan files can be read
	buf        []byte                        // for a text
	known      map[string][]task.KernelFrame // by their text

	symbols *kallsyms.Table               // for threads that run; nil: where these are is not told
	chains  map[string][]task.KernelFrame // by the words of their call chains
}

const (
	maxKernelText  = 16 << 10
	maxKernelKnown = 4096
)

// stay is where a thread was in the kernel at a time when it did not run.
type stay struct {
	runs   uint64 // how often it had come to a processor
	call   task.Syscall
	frames []task.KernelFrame // none: it is not known
}

// TellKernel implements [task.KernelTeller].
func (p *Process) TellKernel() (lacks string, err error) {
	if p.kernel.known == nil {
		p.kernel.known, p.kernel.buf = map[string][]task.KernelFrame{}, make([]byte, maxKernelText)
	}
	if p.sealed != nil {
		return "", nil // which is told with each thread
	}
	p.kernel.isOn = true
	_, err = procDir{p.threads.dir}.read(strconv.Itoa(p.mem.tid) + "/stack")
	lacks = lacksKernel(err)
	p.kernel.isChannels = lacks != ""
	return lacks, nil
}

// lacksKernel says why there are no stacks of the kernel, and what to do; empty where
// there are.
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

// noteKernel reads where a thread that waits is in the kernel.
func (p *Process) noteKernel(th *thread) {
	if th.stay = (stay{}); p.kernel.isOn && !th.ready {
		th.stay = p.stayOf(th.tid)
	}
}

// noteKernels does so of all threads that are to be stopped, or spared.
func (p *Process) noteKernels() {
	if !p.kernel.isOn {
		return
	}
	for i := range p.threads.all {
		if th := &p.threads.all[i]; th.phase == listed || th.phase == spared {
			p.noteKernel(th)
		}
	}
}

// stayOf reads where a thread is in the kernel; nothing where it ran meanwhile.
func (p *Process) stayOf(tid int) stay {
	p.rests.start()
	e := p.rests.find(p.threads.dir, tid)
	if e == nil {
		return stay{}
	}
	runs, counted := p.rests.count(e)
	call, err := p.blockedIn(tid)
	if !counted || err != nil || call.State != task.InCall && call.State != task.InFault {
		return stay{}
	}
	frames := p.kernel.read(p.threads.dir, tid)
	if again, ok := p.rests.count(e); !ok || again != runs {
		return stay{}
	}
	return stay{runs, call, frames}
}

// read reads the frames of a thread, of which dir is /proc/PID/task.
func (k *kernelSight) read(dir, tid int) []task.KernelFrame {
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

// ranSince is how often a thread has come to a processor since; false where that is
// not known.
func (p *Process) ranSince(th *thread) (uint64, bool) {
	e := p.rests.of[th.tid]
	if e == nil || len(th.stay.frames) == 0 {
		return 0, false
	}
	runs, ok := p.rests.count(e)
	return runs - th.stay.runs, ok
}

// keptKernel are the frames of a thread that has not run since they were read.
func (p *Process) keptKernel(th *thread) []task.KernelFrame {
	if n, ok := p.ranSince(th); !ok || n != 0 {
		return nil
	}
	return th.stay.frames
}

// leftKernel are the frames of a thread that stands, and ran since only to do so.
func (p *Process) leftKernel(th *thread, r *task.Registers) []task.KernelFrame {
	call := &th.stay.call
	if n, ok := p.ranSince(th); !ok || n > 1 {
		return nil
	}
	if call.State == task.InFault && isAt(r, call) || call.State == task.InCall && interruptedIn(call, r) {
		return th.stay.frames
	}
	return nil
}

// seesKernel sets where a thread that rests is in the kernel, and tells whether it
// rested meanwhile.
func (p *Process) seesKernel(e *rest, tid int, t *task.Thread) bool {
	if !p.kernel.isOn {
		return true
	}
	frames := p.kernel.read(p.threads.dir, tid)
	if !p.stillAt(e) {
		return false
	}
	t.Kernel = frames
	return true
}
