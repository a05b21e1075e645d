//go:build linux

package ptrace

import (
	"errors"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

var errUnknownCall = errors.New("the kernel does not tell where the thread is, without a stop")

// reading is how Capture reads a thread.
type reading uint8

const (
	readNothing   reading = iota
	readSuspended         // all threads are stopped
	readStopped           // one is
	readRunning           // none is
)

// waiting is a thread that was told to stop and had not stopped yet when it was
// looked at last.
type waiting struct{ index, tid int }

// Threads that were asleep have to be woken, and one that has no processor has
// to get one, so several are waited for together: so many before we sleep until
// one has stopped.
const window = 32

// CaptureThreads implements [task.ThreadStopper]. A thread that is on a processor or
// sleeps stops within microseconds; one that waits for a processor is left to
// come to it while others are captured. A thread in uninterruptible sleep is
// read without a stop, for it does not run either.
func (p *Process) CaptureThreads(how task.Suspension, o task.StopOptions, ids []task.ThreadID, onStopped func(int), runs func(int, time.Duration, error)) error {
	if err := p.check(); err != nil {
		return err
	}
	if p.suspended {
		return errSuspended
	}
	p.options = o
	if how != task.SuspendNone {
		p.noteKernels()
	}
	p.narrow()
	defer p.widen()
	p.gate.Enter()
	defer p.gate.Leave()
	p.resetTraced()
	p.waiting = slices.Grow(p.waiting[:0], len(ids))
	p.held = slices.Grow(p.held[:0], len(ids))
	p.holds = how == task.SuspendTogether
	if how != task.SuspendNone {
		p.priority.toRealtime()
		defer p.alarm.end() // wherever it was started
	}
	p.none = time.Now()
	for i, id := range ids {
		th := p.threads.find(int(id))
		switch {
		case th == nil || th.phase != listed:
			runs(i, 0, th.absent())
		case how == task.SuspendNone || p.waitsForServer(th) && !p.isAwake(th):
			p.read(readRunning, i, onStopped)
			runs(i, 0, nil)
		case p.holds:
			p.seizeOne(i, th, onStopped, runs)
		default:
			p.stopOne(i, th, onStopped, runs)
		}
	}
	p.orderHeld(runs)
	p.awaitEach(onStopped, runs)
	p.releaseHeld(runs)
	p.priority.endRealtime()
	err := p.judgeEach()
	p.letGo()
	return err
}

// orderHeld tells the threads that were seized to stop, all at once.
func (p *Process) orderHeld(runs func(int, time.Duration, error)) {
	if !p.holds {
		return
	}
	p.ordered = time.Now()
	p.began, p.toCopy = p.ordered, len(p.waiting)
	kept := p.waiting[:0]
	for _, w := range p.waiting {
		if interrupt(w.tid) == 0 {
			kept = append(kept, w)
			continue
		}
		p.threads.find(w.tid).phase = dying
		runs(w.index, 0, task.ErrThreadGone)
	}
	p.waiting = kept
}

// releaseHeld lets the threads that were captured run on.
func (p *Process) releaseHeld(runs func(int, time.Duration, error)) {
	for _, h := range p.held {
		p.release(p.threads.find(h.tid))
	}
	stopTime := time.Since(p.ordered)
	for _, h := range p.held {
		runs(h.index, stopTime, nil)
	}
	p.held, p.holds = p.held[:0], false
}

// judgeEach reports whether it was the process that was opened, and whether we
// may stop it at all. Where others were read, a thread that we may not stop costs
// only itself.
func (p *Process) judgeEach() error {
	if p.Mem.Replaced() {
		return p.Exited()
	}
	if p.reads == 0 && p.threads.count(refused) > 0 {
		return p.explain(unix.EPERM)
	}
	return nil
}

// absent says why a thread cannot be told to stop.
func (th *thread) absent() error {
	if th == nil {
		return task.ErrThreadGone
	}
	return th.notStopped()
}

func (p *Process) read(r reading, i int, onStopped func(int)) {
	p.reading = r
	p.reads++
	if !p.holds {
		p.began, p.toCopy = time.Now(), 1
	}
	onStopped(i)
	p.reading = readNothing
	p.Mem.LimitUntil(time.Time{})
}

// seizeOne attaches to a thread that is to be told to stop.
func (p *Process) seizeOne(i int, th *thread, onStopped func(int), runs func(int, time.Duration, error)) bool {
	p.seize(th)
	if th.phase == refused {
		if !p.holds {
			p.awaitEach(onStopped, runs) // so that none is stopped meanwhile
		}
		p.seizeLater(th)
	}
	if th.phase != seized {
		runs(i, 0, p.absence(th))
		return false
	}
	p.waiting = append(p.waiting, waiting{i, th.tid})
	return true
}

// stopOne stops a thread, has it captured, and lets it run on.
func (p *Process) stopOne(i int, th *thread, onStopped func(int), runs func(int, time.Duration, error)) {
	if !p.seizeOne(i, th, onStopped, runs) {
		return
	}
	if len(p.waiting) == 1 {
		p.none = time.Now()
	}
	if interrupt(th.tid) != 0 {
		p.waiting = p.waiting[:len(p.waiting)-1]
		runs(i, 0, task.ErrThreadGone)
		th.phase = dying
		return
	}
	const looks = 3 // for one that runs stops within microseconds
	for n := 0; n < looks && len(p.waiting) > 0; n++ {
		if p.serveStopped(onStopped, runs) {
			return
		}
	}
	if len(p.waiting) >= window {
		p.alarm.start()
		p.awaitAnyStop(20 * time.Microsecond)
		if !p.serveStopped(onStopped, runs) {
			p.serveWaiting(false, onStopped, runs)
		}
	}
}

// serveStopped serves the threads that are stopped now, as the kernel names them, and
// reports whether there was one. It does not see those that have ended.
func (p *Process) serveStopped(onStopped func(int), runs func(int, time.Duration, error)) (any bool) {
	for {
		asked := time.Now()
		if checkAnyStop(&p.info) != 0 || p.info.pid == 0 {
			p.none = asked
			return any
		}
		i := p.waitsFor(int(p.info.pid))
		if i < 0 {
			return any // a child of ours that is stopped, or an exec is under way
		}
		w := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		th := p.threads.find(w.tid)
		th.setStopped(&p.info)
		p.serve(w.index, th, onStopped, runs)
		any = true
	}
}

// waitsFor returns where in waiting a thread is; negative: nowhere.
func (p *Process) waitsFor(tid int) int {
	return slices.IndexFunc(p.waiting, func(w waiting) bool { return w.tid == tid })
}

// serve captures a stopped thread and lets it run on. It was stopped at most since
// none did. One that is held is no longer asked for: see checkAnyStop. One that stopped to
// deliver a signal is not held: were we killed meanwhile, the signal would be lost with a
// stop that was consumed.
func (p *Process) serve(i int, th *thread, onStopped func(int), runs func(int, time.Duration, error)) {
	if th.phase != stopped {
		runs(i, 0, th.notStopped())
		return
	}
	p.read(readStopped, i, onStopped)
	if p.holds && th.signal == 0 {
		consume(th.tid, &p.info)
		p.held = append(p.held, waiting{i, th.tid})
		return
	}
	p.release(th)
	runs(i, time.Since(p.stoppedSince()), nil)
}

// stoppedSince returns since when, at the earliest, a thread was stopped that is let go of now.
func (p *Process) stoppedSince() time.Time {
	if p.holds {
		return p.ordered
	}
	return p.none
}

// awaitEach serves the threads that did not stop at once, as they do. Now and
// then it asks for each by itself, and so finds those that have ended.
func (p *Process) awaitEach(onStopped func(int), runs func(int, time.Duration, error)) {
	began := time.Now()
	if len(p.waiting) > 0 {
		p.alarm.start()
	}
	for wait := 20 * time.Microsecond; len(p.waiting) > 0; wait = min(2*wait, time.Millisecond) {
		if !p.pending(began) {
			p.serveWaiting(true, onStopped, runs)
			return
		}
		p.awaitAnyStop(wait)
		switch {
		case p.serveStopped(onStopped, runs), p.serveWaiting(false, onStopped, runs):
			wait = 10 * time.Microsecond
		case wait == time.Millisecond:
			p.tellAgain()
		}
	}
}

// tellAgain repeats the order to stop. A thread that calls exec takes the id of
// the first, attached but perhaps not told to stop, so each is told again.
func (p *Process) tellAgain() {
	for _, w := range p.waiting {
		interrupt(w.tid)
	}
}

// serveWaiting looks at each thread that is waited for, and reports whether one
// has stopped or ended. At last it gives up the others.
func (p *Process) serveWaiting(last bool, onStopped func(int), runs func(int, time.Duration, error)) (any bool) {
	kept := p.waiting[:0]
	for _, w := range p.waiting {
		th := p.threads.find(w.tid)
		if !p.checkThread(th) && th.phase == seized && !last {
			kept = append(kept, w)
			continue
		}
		any = true
		p.serve(w.index, th, onStopped, runs)
	}
	p.waiting = kept
	return any
}

// letGo ends a round: threads that were killed in it are reaped.
func (p *Process) letGo() {
	p.reapAll()
	for i := range p.threads.all {
		if th := &p.threads.all[i]; !th.phase.attached() {
			th.phase = listed
		}
	}
}

// readWithoutStop fills in what the kernel tells of a blocked thread: pc, sp and
// the arguments of its system call. The stack is as of that moment when the
// thread has not run while it was copied. Of one that runs it is what was copied of
// it, where it is observed. Where nothing was read, nothing was read without a stop.
func (p *Process) readWithoutStop(tid int, t *task.Thread) error {
	t.Unstopped, t.Spared, t.Call, t.Stacks, t.Kernel = false, false, task.Syscall{}, t.Stacks[:0], nil
	if p.Sealed() != nil {
		return errSealed
	}
	th := p.threads.find(tid)
	switch {
	case th != nil && th.ready && p.observes():
		return p.useCopy(tid, t)
	case th != nil:
		p.noteKernel(th)
	}
	e := p.Files.Find(tid)
	runs, counted := p.Files.Count(e)
	call, err := p.Files.Call(tid)
	switch {
	case err != nil || call.State == task.CallUnknown:
		return errUnknownCall
	case call.State == task.OnProcessor:
		return p.useCopy(tid, t)
	}
	t.Registers, t.Unstopped = p.RegistersOf(&call), true
	err = p.CopyStack(t)
	if now, ok := p.Files.Count(e); counted && ok && now == runs {
		t.Unstopped, t.Spared, t.Call = false, true, call
	}
	if th != nil {
		t.Kernel = p.keptKernel(th)
	}
	return err
}
