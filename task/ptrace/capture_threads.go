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

// round is the state of a call of CaptureThreads: its arguments and progress.
type round struct {
	stopped  func(int)                       // called for each thread that can be captured
	runs     func(int, time.Duration, error) // called for each that runs on, or cannot be captured
	together bool                            // threads stay stopped until all are captured
	waiting  []waiting
	held     []waiting // captured, but still stopped
	none     time.Time // the last time at which none of waiting had stopped
	reads    int       // threads that were read
}

// begin starts a round for n threads.
func (r *round) begin(how task.Suspension, n int, stopped func(int), runs func(int, time.Duration, error)) {
	*r = round{
		stopped: stopped, runs: runs, together: how == task.SuspendTogether, none: time.Now(),
		waiting: slices.Grow(r.waiting[:0], n), held: slices.Grow(r.held[:0], n),
	}
}

// waiting is a thread that was ordered to stop and had not stopped at the last check.
type waiting struct{ index, tid int }

// window is how many threads are ordered to stop before we sleep until one of them has stopped.
// Waiting for several saves time: sleeping threads have to be woken, and threads without a
// processor have to get one.
const window = 32

// CaptureThreads implements [task.ThreadStopper]. A thread that is on a processor or sleeps
// stops within microseconds. While a thread waits for a processor, others are captured. A thread
// in uninterruptible sleep is read without a stop, because it does not run either.
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
	p.other.begin()
	p.round.begin(how, len(ids), onStopped, runs)
	if how != task.SuspendNone {
		p.priority.toRealtime()
		defer p.alarm.end() // wherever it was started
	}
	for i, id := range ids {
		th := p.threads.find(int(id))
		switch {
		case th == nil || th.phase != listed:
			p.round.runs(i, 0, th.absent())
		case how == task.SuspendNone || p.waitsForServer(th) && !p.isAwake(th):
			p.read(readRunning, i)
			p.round.runs(i, 0, nil)
		case p.round.together:
			p.seizeOne(i, th)
		default:
			p.stopOne(i, th)
		}
	}
	p.orderHeld()
	p.awaitEach()
	p.releaseHeld()
	p.priority.endRealtime()
	err := p.judgeEach()
	p.letGo()
	return err
}

// orderHeld orders the seized threads to stop, all at once.
func (p *Process) orderHeld() {
	if !p.round.together {
		return
	}
	p.ordered = time.Now()
	p.copying.began, p.copying.left = p.ordered, len(p.round.waiting)
	kept := p.round.waiting[:0]
	for _, w := range p.round.waiting {
		if interrupt(w.tid) == 0 {
			kept = append(kept, w)
			continue
		}
		p.threads.find(w.tid).phase = dying
		p.round.runs(w.index, 0, task.ErrThreadGone)
	}
	p.round.waiting = kept
}

// releaseHeld lets the captured threads run on.
func (p *Process) releaseHeld() {
	for _, h := range p.round.held {
		p.release(p.threads.find(h.tid))
	}
	stopTime := time.Since(p.ordered)
	for _, h := range p.round.held {
		p.round.runs(h.index, stopTime, nil)
	}
	p.round.held, p.round.together = p.round.held[:0], false
}

// judgeEach returns an error if the process is no longer the one that was opened, or if we may
// not stop any of its threads. If others were read, a thread that we may not stop affects only
// itself.
func (p *Process) judgeEach() error {
	if p.Mem.Replaced() {
		return p.Exited()
	}
	if p.round.reads == 0 && p.threads.count(refused) > 0 {
		return p.explain(unix.EPERM)
	}
	return nil
}

// absent returns why a thread cannot be ordered to stop.
func (th *thread) absent() error {
	if th == nil {
		return task.ErrThreadGone
	}
	return th.notStopped()
}

func (p *Process) read(r reading, i int) {
	p.copying.how = r
	p.round.reads++
	if !p.round.together {
		p.copying.began, p.copying.left = time.Now(), 1
	}
	p.round.stopped(i)
	p.copying.how = readNothing
	p.Mem.LimitUntil(time.Time{})
}

// seizeOne attaches to a thread, before the order to stop.
func (p *Process) seizeOne(i int, th *thread) bool {
	p.seize(th)
	if th.phase == refused {
		if !p.round.together {
			p.awaitEach() // so that none is stopped during the retries
		}
		p.seizeLater(th)
	}
	if th.phase != seized {
		p.round.runs(i, 0, p.absence(th))
		return false
	}
	p.round.waiting = append(p.round.waiting, waiting{i, th.tid})
	return true
}

// stopOne orders a thread to stop, and serves threads that have stopped by now.
func (p *Process) stopOne(i int, th *thread) {
	if !p.seizeOne(i, th) {
		return
	}
	if len(p.round.waiting) == 1 {
		p.round.none = time.Now()
	}
	if interrupt(th.tid) != 0 {
		p.round.waiting = p.round.waiting[:len(p.round.waiting)-1]
		p.round.runs(i, 0, task.ErrThreadGone)
		th.phase = dying
		return
	}
	const looks = 3 // a running thread stops within microseconds
	for n := 0; n < looks && len(p.round.waiting) > 0; n++ {
		if p.serveStopped() {
			return
		}
	}
	if len(p.round.waiting) >= window {
		p.alarm.start()
		p.awaitAnyStop(20 * time.Microsecond)
		if !p.serveStopped() {
			p.serveWaiting(false)
		}
	}
}

// serveStopped serves the threads that have stopped by now, in the order in which the kernel
// reports them. It returns whether there was one. It does not see threads that have ended.
func (p *Process) serveStopped() (any bool) {
	for {
		asked := time.Now()
		if checkAnyStop(&p.info) != 0 || p.info.pid == 0 {
			p.round.none = asked
			return any
		}
		i := p.round.waitsFor(int(p.info.pid))
		if i < 0 {
			return any // a child of ours that is stopped, or an exec is under way
		}
		w := p.round.waiting[i]
		p.round.waiting = slices.Delete(p.round.waiting, i, i+1)
		th := p.threads.find(w.tid)
		th.setStopped(&p.info)
		p.serve(w.index, th)
		any = true
	}
}

// waitsFor returns the index of a thread in waiting, or a negative number.
func (r *round) waitsFor(tid int) int {
	return slices.IndexFunc(r.waiting, func(w waiting) bool { return w.tid == tid })
}

// serve captures a stopped thread and lets it run on. The thread has been stopped at most since
// round.none. If the thread is held, its stop is consumed, so that checkAnyStop does not find it
// again. A thread that stopped to deliver a signal is not held: if we were killed meanwhile, the
// signal would be lost with the consumed stop.
func (p *Process) serve(i int, th *thread) {
	if th.phase != stopped {
		p.round.runs(i, 0, th.notStopped())
		return
	}
	p.read(readStopped, i)
	if p.round.together && th.signal == 0 {
		consume(th.tid, &p.info)
		p.round.held = append(p.round.held, waiting{i, th.tid})
		return
	}
	p.release(th)
	p.round.runs(i, time.Since(p.stoppedSince()), nil)
}

// stoppedSince returns the earliest time at which the thread that is now released can have
// stopped.
func (p *Process) stoppedSince() time.Time {
	if p.round.together {
		return p.ordered
	}
	return p.round.none
}

// awaitEach serves the remaining threads as they stop. Now and then it checks each of them
// separately, which also finds those that have ended.
func (p *Process) awaitEach() {
	began := time.Now()
	if len(p.round.waiting) > 0 {
		p.alarm.start()
	}
	for wait := 20 * time.Microsecond; len(p.round.waiting) > 0; wait = min(2*wait, time.Millisecond) {
		if !p.pending(began) {
			p.serveWaiting(true)
			return
		}
		p.awaitAnyStop(wait)
		switch {
		case p.serveStopped(), p.serveWaiting(false):
			wait = 10 * time.Microsecond
		case wait == time.Millisecond:
			p.tellAgain()
		}
	}
}

// tellAgain repeats the order to stop, for every thread. A thread that calls exec takes over the
// id of the first thread, which is seized but may never have received its order.
func (p *Process) tellAgain() {
	for _, w := range p.round.waiting {
		interrupt(w.tid)
	}
}

// serveWaiting checks each thread that is waited for, and reports whether one has stopped or
// ended. If last is set, it gives up the others.
func (p *Process) serveWaiting(last bool) (any bool) {
	kept := p.round.waiting[:0]
	for _, w := range p.round.waiting {
		th := p.threads.find(w.tid)
		if !p.checkThread(th) && th.phase == seized && !last {
			kept = append(kept, w)
			continue
		}
		any = true
		p.serve(w.index, th)
	}
	p.round.waiting = kept
	return any
}

// letGo ends a round. It reaps the threads that were killed during it.
func (p *Process) letGo() {
	p.reapAll()
	for i := range p.threads.all {
		if th := &p.threads.all[i]; !th.phase.attached() {
			th.phase = listed
		}
	}
}

// readWithoutStop fills in what the kernel reports of a blocked thread: pc, sp and the arguments
// of its system call. The stack is of the same moment if the thread has not run while it was
// copied. For a running thread readWithoutStop uses the kernel's newest copy, if there is one.
// It sets Unstopped only if something was read.
func (p *Process) readWithoutStop(tid int, t *task.Thread) error {
	t.Unstopped, t.Skipped, t.Call, t.Stacks, t.Kernel = false, false, task.Syscall{}, t.Stacks[:0], nil
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
		t.Unstopped, t.Skipped, t.Call = false, true, call
		if th != nil {
			th.runs = runs
		}
	}
	if th != nil {
		t.Kernel = p.keptKernel(th)
	}
	return err
}
