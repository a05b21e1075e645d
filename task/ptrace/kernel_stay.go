//go:build linux

package ptrace

import (
	"stacksnap/task"
	"stacksnap/task/procfs"
)

// noteKernel records where in the kernel a waiting thread is.
func (p *Process) noteKernel(th *thread) {
	if th.stay = (procfs.KernelStay{}); p.Kernel.IsOn() && !th.ready {
		th.stay = p.KernelStay(th.tid)
	}
}

// noteKernels calls noteKernel for all threads that are to be stopped or skipped.
func (p *Process) noteKernels() {
	if !p.Kernel.IsOn() {
		return
	}
	for i := range p.threads.all {
		if th := &p.threads.all[i]; th.phase == listed || th.phase == skipped {
			p.noteKernel(th)
		}
	}
}

// ranSince returns how often a thread was scheduled in since noteKernel; false if that is not
// known.
func (p *Process) ranSince(th *thread) (uint64, bool) {
	e := p.Files.Of(th.tid)
	if e == nil || len(th.stay.Frames) == 0 {
		return 0, false
	}
	runs, ok := p.Files.Count(e)
	return runs - th.stay.Runs, ok
}

// keptKernel returns the frames that noteKernel has read, if the thread has not run since.
func (p *Process) keptKernel(th *thread) []task.KernelFrame {
	if n, ok := p.ranSince(th); !ok || n != 0 {
		return nil
	}
	return th.stay.Frames
}

// leftKernel returns those frames of a stopped thread, if it has run since only in order to
// stop.
func (p *Process) leftKernel(th *thread, r *task.Registers) []task.KernelFrame {
	if n, ok := p.ranSince(th); !ok || n > 1 || !th.stay.IsIn(r) {
		return nil
	}
	return th.stay.Frames
}
