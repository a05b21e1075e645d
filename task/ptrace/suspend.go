//go:build linux

package ptrace

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs"
)

// How long to wait for threads. A thread stops within microseconds unless it has no processor or
// is deep in the kernel.
const (
	stopTimeout      = 2 * time.Second        // for threads that wait for a processor: they stop when they get one
	sleepTimeout     = 50 * time.Millisecond  // for threads in uninterruptible sleep
	reapTimeout      = 500 * time.Millisecond // for killed threads to end
	groupStopTimeout = 500 * time.Millisecond // for threads to return to the stop that a signal had put them in
	maxRounds        = 100                    // of searching for new threads
)

var (
	errUninterruptible = errors.New("the thread is in uninterruptible sleep in the kernel and could not be stopped")
	errRoused          = errors.New("the thread was in uninterruptible sleep in the kernel, and ran while it was read")
	errNotStopped      = errors.New("the thread did not stop in time")
	errSuspended       = errors.New("the target is suspended already")
	errOtherThread     = errors.New("ptrace: called from another goroutine than the one that opened the process")
)

// Suspend implements [task.Process]. Threads in uninterruptible sleep stop only when they leave
// the kernel. Suspend waits for them briefly and then leaves them out; Capture returns an error
// for them.
func (p *Process) Suspend(o task.StopOptions) (resume func() error, err error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.suspended {
		return nil, errSuspended
	}
	p.options = o
	p.settle()
	p.narrow()
	if p.stopsNone {
		return p.suspendNone()
	}
	p.skipSleepers()
	p.skipWaiting()
	p.noteKernels()
	p.noteSchedStates()
	p.enter()
	p.other.begin()
	p.suspended, p.copying.how = true, readSuspended
	p.priority.toRealtime()
	p.stop()
	if err := p.judge(); err != nil {
		_ = p.resume()
		return nil, p.explain(err)
	}
	p.learnCodeMask()
	p.copying.left = p.threads.count(stopped) + p.threads.count(skipped)
	return p.resumeFunc, nil
}

// SetLimits implements [task.ThreadStopper].
func (p *Process) SetLimits(l task.Limits) {
	if l.Gate != nil {
		p.gate = l.Gate
	}
	if l.MaxCopy > 0 {
		p.copying.most = l.MaxCopy
	}
	p.stopsNone = p.stopsNone || l.NoStop
}

func (p *Process) enter() {
	p.gate.Enter()
	p.entered = true
}

// leaveGate leaves the gate if this suspension has entered it: a suspension may stop nothing.
func (p *Process) leaveGate() {
	if p.entered {
		p.entered = false
		p.gate.Leave()
	}
}

// LastStop implements [task.ThreadStopper].
func (p *Process) LastStop() task.Stop { return task.Stop{Ordered: p.ordered} }

// skipSleepers marks as busy, and so does not stop, the threads that were in uninterruptible
// sleep when they were described and do not leave it soon. Once seized they could be released
// only after a stop, and the others would be stopped as long.
func (p *Process) skipSleepers() {
	began := time.Now()
	for i := range p.threads.all {
		th := &p.threads.all[i]
		for th.phase == listed && p.waitsForServer(th) {
			if th.sleeps {
				p.skipBlocked(th)
				break
			}
			if th.asleep = p.isIn(th.tid, task.Uninterruptible); !th.asleep {
				break
			}
			if time.Since(began) > sleepTimeout {
				p.skipBlocked(th)
				break
			}
			pause(time.Millisecond)
		}
	}
}

// stop stops the known threads and, unless they are a part, looks for new ones until there are
// none. From here to resume nothing is allocated.
func (p *Process) stop() {
	began := time.Now()
	p.copying.began, p.ordered = began, time.Time{}
	p.alarm.start()
	defer p.alarm.end()
	for range maxRounds {
		p.order()
		p.await(began)
		if p.options.Part != nil {
			return
		}
		if _, added := p.threads.scan(p.Files.Dir); added == 0 {
			return
		}
	}
}

// order attaches to every thread that is not attached, and orders it to stop. First it seizes
// all, which stops none, so that the first is not stopped longer than needed.
func (p *Process) order() {
	all := p.threads.all
	first := len(all)
	for i := range all {
		if all[i].phase == listed {
			first = min(first, i)
			p.seize(&all[i])
			if all[i].phase == refused && p.ordered.IsZero() {
				p.seizeLater(&all[i])
			}
		}
	}
	if first < len(all) && p.ordered.IsZero() {
		p.ordered = time.Now()
	}
	for i := first; i < len(all); i++ {
		if th := &all[i]; th.phase == seized && interrupt(th.tid) != 0 {
			th.phase = dying
		}
	}
}

// seize attaches to a thread. The kernel refuses, with EPERM, a thread that has ended but is not
// reaped yet, such as the first thread when only others go on.
func (p *Process) seize(th *thread) {
	switch p.rescue.seize(th.tid) {
	case 0:
		th.phase = seized
		p.other.forget(th.tid)
	case unix.ESRCH:
		th.phase = gone
	default:
		th.phase = refused
		if s, ok := p.Files.State(th.tid); !ok || s == task.Ended {
			th.phase = gone
		}
	}
}

// await waits until every seized thread has stopped or ended, for at most stopTimeout from the
// start of the stop.
func (p *Process) await(began time.Time) {
	for i := range p.threads.all {
		p.watch(&p.threads.all[i])
	}
	for wait := 20 * time.Microsecond; p.pending(began); wait = min(2*wait, time.Millisecond) {
		p.awaitStop(p.threads.first(seized), wait)
		p.checkAll()
	}
}

// watch checks one thread until it has stopped, for as long as that usually takes. When a thread
// stops, the kernel wakes a tracer that sleeps in waitid, see alarm, or else sends SIGCHLD to
// the tracing thread itself (do_notify_parent_cldstop and complete_signal, kernel/signal.c),
// which ends a nap early. So we do not hold a processor that the thread may need. Nor do we have
// to wait for a processor behind all others, as we would after sched_yield.
func (p *Process) watch(th *thread) {
	const looks = 3 // checks without a pause: a running thread stops within microseconds
	const naps = 4
	for n := 0; th.phase == seized && n < looks+naps; n++ {
		if p.checkThread(th) {
			return
		}
		if n >= looks {
			p.awaitStop(th.tid, 20*time.Microsecond<<(n-looks))
		}
	}
}

// pending reports whether there is a thread left to wait for.
func (p *Process) pending(began time.Time) bool {
	if p.threads.count(seized) == 0 {
		return false
	}
	waited := time.Since(began)
	if waited < sleepTimeout {
		return true
	}
	return waited < stopTimeout && !p.onlySleepers()
}

// onlySleepers reports whether all threads that have not stopped are in uninterruptible sleep.
func (p *Process) onlySleepers() bool {
	for i := range p.threads.all {
		if th := &p.threads.all[i]; th.phase == seized {
			if th.asleep = p.isIn(th.tid, task.Uninterruptible); !th.asleep {
				return false
			}
		}
	}
	return true
}

// checkThread checks whether an attached thread has stopped or ended, records it, and reports
// it.
func (p *Process) checkThread(th *thread) bool {
	errno := checkStop(th.tid, &p.info)
	switch {
	case errno != 0: // ECHILD: exec gave the thread another id, or another wait reaped it
		th.phase = gone
	case p.info.pid == 0:
		return false
	case p.info.ended():
		th.phase = dying
		p.reap(th)
	default:
		th.setStopped(&p.info)
	}
	return true
}

// setStopped records that a thread has stopped, and what info says of the stop.
func (th *thread) setStopped(info *childInfo) {
	th.stoppedAt = time.Now()
	th.phase, th.signal, th.groupStopped = stopped, info.signal(), info.groupStopped()
}

// checkAll checks every attached thread, also for having been killed after it stopped. Such
// threads must be reaped soon, because an exec of another thread waits for that. The thread that
// calls exec takes the id of the first thread, which is attached but may not have been ordered
// to stop, so the order is repeated for each.
func (p *Process) checkAll() {
	for i := range p.threads.all {
		th := &p.threads.all[i]
		if th.phase.attached() && !p.checkThread(th) && th.phase == seized {
			interrupt(th.tid)
		}
	}
}

// reap removes an ended thread, which stays a zombie until its tracer reaps it. The first thread
// of our own child is left for the code that started the child.
func (p *Process) reap(th *thread) {
	if p.ownChild && th.tid == p.PID {
		th.phase = gone
		return
	}
	switch errno := reap(th.tid, &p.info); {
	case errno == 0 && p.info.pid == 0:
	case errno == 0 && !p.info.ended(): // an exec has just given its id to a thread that is stopped
		th.setStopped(&p.info)
	default:
		th.phase = gone
	}
}

// judge returns an error if what was stopped is not the process that was opened.
func (p *Process) judge() error {
	if p.Mem.Replaced() {
		return p.Exited()
	}
	for _, there := range []phase{stopped, seized, busy, roused, skipped} {
		if p.threads.count(there) > 0 {
			return nil
		}
	}
	if p.threads.count(refused) > 0 {
		return unix.EPERM
	}
	if p.options.Part != nil && !p.IsEnding() {
		return nil // these threads have ended, others go on
	}
	return p.Exited()
}

// learnCodeMask reads the code mask of the first stopped thread; all threads have the same.
func (p *Process) learnCodeMask() {
	if p.hasMask {
		return
	}
	for i := range p.threads.all {
		if th := &p.threads.all[i]; th.phase == stopped {
			p.hasMask = true
			p.codeMask = codeMask(th.tid, p.regs[:], p.codeMask)
			return
		}
	}
}

// explain turns a refusal into an error that names its cause.
func (p *Process) explain(err error) error {
	if !errors.Is(err, unix.EPERM) {
		return err
	}
	if p.IsEnding() {
		return p.Exited()
	}
	if p.other.by != nil {
		return procfs.TracedRefusal(p.other.by)
	}
	return p.Refusal("ptrace(PTRACE_SEIZE)", err)
}
