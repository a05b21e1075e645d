//go:build linux

package ptrace

import "stacksnap/task"

// skipWaiting finds out, before the stop, in which call each sleeping thread waits, and skips
// the threads whose call a stop would end.
func (p *Process) skipWaiting() {
	if !p.options.Skip {
		return
	}
	for i := range p.threads.all {
		th := &p.threads.all[i]
		if th.phase != listed {
			continue
		}
		if th.call = (task.Syscall{}); th.sleeps {
			p.skipOne(th)
		}
	}
}

// skipOne records the call of a sleeping thread, and skips the thread if a stop would end the
// call. The count of its runs will prove that it has not run since. The count has to be read
// before the proof that the thread is off a processor (see procfs.ThreadFile), so the call is
// read once more after it; few threads are in such a call.
func (p *Process) skipOne(th *thread) {
	if !p.noteCall(th) || p.options.Insist[task.ThreadID(th.tid)] || !p.wouldEnd(&th.call) {
		return
	}
	e := p.Files.Find(th.tid)
	if e == nil {
		return
	}
	runs, counted := p.Files.Count(e)
	if counted && p.noteCall(th) && p.wouldEnd(&th.call) {
		th.runs, th.phase = runs, skipped
	}
}

// skipBlocked skips a thread in uninterruptible sleep, in a call or for a page, if it can later
// be checked whether the thread has run meanwhile; otherwise it leaves the thread out.
func (p *Process) skipBlocked(th *thread) {
	th.phase = busy
	e := p.Files.Find(th.tid)
	if e == nil {
		return
	}
	runs, counted := p.Files.Count(e)
	call, err := p.Files.Call(th.tid)
	if counted && err == nil && (call.State == task.InCall || call.State == task.InFault) {
		th.runs, th.call, th.phase = runs, call, skipped
	}
}

// noteCall records the call in which a thread is blocked, and reports whether there is one.
func (p *Process) noteCall(th *thread) bool {
	call, err := p.Files.Call(th.tid)
	if err != nil || call.State != task.InCall {
		th.call = task.Syscall{}
		return false
	}
	th.call = call
	return true
}

func (p *Process) wouldEnd(call *task.Syscall) bool {
	return endsAtStop(p.Arch(), call, p.IsSocket)
}

// waitsForServer reports whether a sleeping thread waits for a FUSE server. Such a thread is
// treated like one in uninterruptible sleep.
func (p *Process) waitsForServer(th *thread) bool {
	if th.sleeps && !th.asleep && p.Files.WaitsForServer(th.tid) {
		th.asleep = true
	}
	return th.asleep
}

// isAwake reports whether a thread that was in uninterruptible sleep when it was described is
// running by now, so that it would stop. It sets th.asleep.
func (p *Process) isAwake(th *thread) bool {
	call, err := p.Files.Call(th.tid)
	th.asleep = err != nil || call.State != task.OnProcessor
	return !th.asleep
}

// hasRun reports whether a skipped thread has been scheduled in since its count was read.
func (p *Process) hasRun(th *thread) bool {
	e := p.Files.Of(th.tid)
	if e == nil {
		return true
	}
	runs, ok := p.Files.Count(e)
	return !ok || runs != th.runs
}

// stays reports whether a thread that was captured where it waits has not run since.
func (p *Process) stays(id task.ThreadID) bool {
	th := p.threads.find(int(id))
	return th != nil && !p.hasRun(th)
}

// captureSkipped reads a thread where it waits. If the thread has run between the stop of the
// others and the end of the copy, it is now stopped as well, unless it is in uninterruptible
// sleep: the others would stay stopped for as long as it sleeps.
func (p *Process) captureSkipped(th *thread, t *task.Thread) (done bool, err error) {
	t.Registers = p.RegistersOf(&th.call)
	err = p.CopyStack(t)
	if !p.hasRun(th) {
		t.Skipped, t.Call, t.Kernel = true, th.call, p.keptKernel(th)
		return true, err
	}
	if th.asleep || p.stopsNone {
		t.Registers, t.Stacks, th.phase = task.Registers{}, t.Stacks[:0], roused
		return false, nil
	}
	th.phase = listed
	p.order()
	p.await(p.copying.began) // counted from the start of the whole stop, because the others are stopped
	return false, nil
}
