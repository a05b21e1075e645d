//go:build linux

package ptrace

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/perfevent"
	"stacksnap/task/procfs"
)

var (
	errNotCopied = errors.New("the thread was running, and was not copied yet")
	errInKernel  = errors.New("the thread was running in the kernel, where it is copied for root alone")
)

// copies are the copies that the kernel makes of one thread as it runs.
type copies struct {
	event  *perfevent.Event // nil: none, because of err
	err    error
	newest perfevent.Sample
	has    bool
	ran    time.Duration // CPU time of the thread at or before the time when newest was first seen
	whole  bool          // the copies cannot have more of the stack
}

// Close implements [io.Closer].
func (c *copies) Close() error {
	if c.event == nil {
		return nil
	}
	err := c.event.Close()
	c.event = nil
	return err
}

// The bounds of the period, which is the CPU time of a thread between two copies. The period is
// a little shorter than the interval, so that there is a new copy for each sample, and so that a
// program that repeats its work at the interval is met at every point of it. At a short
// interval, copies must not hold the thread up too often; at a long one, they must not be too
// old.
const (
	leastPeriod = 100 * time.Microsecond
	mostPeriod  = 10 * time.Millisecond
)

func periodFor(interval time.Duration) time.Duration {
	return min(max(interval-interval/16, leastPeriod), mostPeriod)
}

// CopyRunning implements [task.RunningCopier] with an event of perf_event_open for each thread
// that was seen running.
func (p *Process) CopyRunning(interval time.Duration) error {
	ids, err := p.Threads()
	if err != nil {
		return err
	}
	o := perfevent.Options{Host: procfs.HostArch(), Period: periodFor(interval), Stack: perfevent.FirstStack, Kernel: p.Kernel.IsOn()}
	lacks := perfevent.Allow(p.Mem.TID, &o)
	if lacks != nil && !o.User {
		return lacks
	}
	if o.Kernel {
		lacks = p.chains.learnSymbols()
	}
	p.observe = o
	p.Files.LeaveRoom()
	if p.stopsNone {
		return lacks // other processes are sampled meanwhile: do not wait for copies
	}
	for range firstPeriods {
		if p.areCopied(ids) {
			break
		}
		pause(o.Period)
	}
	return lacks
}

// firstPeriods is how many periods to wait for the first copies. A thread without a processor is
// not copied.
const firstPeriods = 8

// areCopied starts the copies of the running threads, and reports whether each has one.
func (p *Process) areCopied(ids []task.ThreadID) bool {
	all := true
	for _, id := range ids {
		if p.isIn(int(id), task.Running) {
			all = !errors.Is(p.useCopy(int(id), &task.Thread{}), errNotCopied) && all
		}
	}
	return all
}

func (p *Process) observes() bool { return p.observe.Period > 0 }

// useCopy fills in the newest copy of a running thread. If the thread waits for a processor, it
// has run for less than a period since the copy, or not at all.
func (p *Process) useCopy(tid int, t *task.Thread) error {
	if !p.observes() {
		return procfs.ErrOnProcessor
	}
	e := p.Files.Find(tid)
	if e == nil {
		return procfs.ErrOnProcessor
	}
	c, _ := e.Kept.(*copies)
	if c == nil {
		c = &copies{}
		c.event, c.err = perfevent.Open(tid, p.observe)
		e.Kept = c
	}
	if err := c.renew(e.Ran); err != nil {
		return err
	}
	if p.observe.User && e.Ran-c.ran > p.oldest() {
		return errInKernel
	}
	p.fill(t, c)
	if c.newest.Cut && cap(t.Buffer()) > task.FirstStackLimit {
		p.deepen(tid, c)
	}
	return nil
}

// renew reads the newest copy, if there is one. ran is the CPU time of the thread.
func (c *copies) renew(ran time.Duration) error {
	if c.event == nil {
		return c.err
	}
	fresh, err := c.event.Newest(&c.newest)
	if fresh {
		c.has, c.ran = true, ran
	}
	switch {
	case c.has:
		return nil
	case err != nil:
		return err
	}
	return errNotCopied
}

// oldest returns how long a thread may have run since its newest copy. The kernel counts CPU
// time only at the ticks of its clock, which come 100 times a second or more often.
func (p *Process) oldest() time.Duration { return 2*p.observe.Period + 20*time.Millisecond }

// fill fills in t from the newest copy.
func (p *Process) fill(t *task.Thread, c *copies) {
	s := &c.newest
	t.Unstopped, t.Registers, t.Kernel = false, s.Registers, p.chains.runsIn(s)
	t.Age = max(1, monotonic()-s.Time)
	room := t.Buffer()
	n := copy(room[:cap(room)], s.Stack)
	sp := s.Registers.SP()
	top := p.StackTop(sp)
	if end := sp + task.Addr(n); top != 0 && top < end {
		top = end // the stack has grown since
	}
	t.Stacks = append(t.Stacks[:0], task.Stack{Base: sp, Bytes: room[:n], Top: top})
}

// deepen makes the kernel copy more of a thread's stack from now on, if it can.
func (p *Process) deepen(tid int, c *copies) {
	if c.whole {
		return
	}
	c.whole = true
	o := p.observe
	o.Stack = perfevent.MaxStack
	if event, err := perfevent.Open(tid, o); err == nil {
		_ = c.event.Close()
		c.event = event
	}
}

func monotonic() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return time.Duration(now.Nano())
}
