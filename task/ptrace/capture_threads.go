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

// round is a call of CaptureThreads: what it was given, and how far it has come.
type round struct {
	stopped  func(int)                       // is called for each thread that can be captured
	runs     func(int, time.Duration, error) // and for each that runs on, or cannot be had
	together bool                            // threads stay stopped until all are captured
	waiting  []waiting
	held     []waiting // those that were captured and are still stopped
	none     time.Time // when none of waiting was stopped
	reads    int       // threads that were read
}

// begin begins a round of n threads.
func (r *round) begin(how task.Suspension, n int, stopped func(int), runs func(int, time.Duration, error)) {
	*r = round{
		stopped: stopped, runs: runs, together: how == task.SuspendTogether, none: time.Now(),
		waiting: slices.Grow(r.waiting[:0], n), held: slices.Grow(r.held[:0], n),
	}
}

// waiting is a thread that was ordered to stop and had not stopped when it was checked last.
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

// orderHeld tells the threads that were seized to stop, all at once.
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

// releaseHeld lets the threads that were captured run on.
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

// judgeEach reports whether it was the process that was opened, and whether we
// may stop it at all. Where others were read, a thread that we may not stop costs
// only itself.
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

// seizeOne attaches to a thread that is to be told to stop.
func (p *Process) seizeOne(i int, th *thread) bool {
	p.seize(th)
	if th.phase == refused {
		if !p.round.together {
			p.awaitEach() // so that none is stopped meanwhile
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

// stopOne stops a thread, has it captured, and lets it run on.
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
	const looks = 3 // for one that runs stops within microseconds
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

// serveStopped serves the threads that are stopped now, as the kernel names them, and
// reports whether there was one. It does not see those that have ended.
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

// waitsFor returns where in waiting a thread is; negative: nowhere.
func (r *round) waitsFor(tid int) int {
	return slices.IndexFunc(r.waiting, func(w waiting) bool { return w.tid == tid })
}

// serve captures a stopped thread and lets it run on. It was stopped since round.none at most. The
// stop of a thread that is held is consumed, so that checkAnyStop does not find it again. A
// thread that stopped to deliver a signal is not held: were we killed meanwhile, the signal would
// be lost with the consumed stop.
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

// stoppedSince returns since when, at the earliest, a thread was stopped that is let go of now.
func (p *Process) stoppedSince() time.Time {
	if p.round.together {
		return p.ordered
	}
	return p.round.none
}

// awaitEach serves the threads that did not stop at once, as they stop. Now and
// then it asks for each by itself, and so finds those that have ended.
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

// tellAgain repeats the order to stop, to every thread. A thread that calls exec takes
// over the id of the first one, which is seized then, but may never have got its order.
func (p *Process) tellAgain() {
	for _, w := range p.round.waiting {
		interrupt(w.tid)
	}
}

// serveWaiting checks each thread that is waited for, and reports whether one has stopped or
// ended. With last it gives up the others.
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

// letGo ends a round: threads that were killed in it are reaped.
func (p *Process) letGo() {
	p.reapAll()
	for i := range p.threads.all {
		if th := &p.threads.all[i]; !th.phase.attached() {
			th.phase = listed
		}
	}
}

// readWithoutStop fills in what the kernel reports of a blocked thread: pc, sp and the arguments of
// its system call. The stack is of the same moment if the thread has not run while it was
// copied. Of a thread that runs it uses the kernel's newest copy, if there is one. Unstopped is
// set only where something was read.
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
