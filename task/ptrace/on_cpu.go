//go:build linux

package ptrace

import (
	"time"

	"stacksnap/task"
)

// A thread in state R is on a processor or waits for one. Its way into a stop proves which: the
// thread executes that itself, for which it has to be on a processor, and the kernel counts how
// often it is scheduled in (see procfs.ThreadFile). If the count is the same before and during
// the stop, the thread was on a processor all the time. If the count is one higher, it waited in
// between. If that wait, which the kernel adds up when it ends (sched_info_arrive), was longer
// than the whole time since the first count, the thread already waited at that moment.

// schedState is what was read, before a stop, of a thread that was ready to run.
type schedState struct {
	at        time.Time // just before the count was read
	runs      uint64    // how often the thread had been scheduled in; 0: not known
	queued    time.Duration
	processor int
}

// noteSchedStates reads the counts of the threads that were ready to run when they were
// described.
func (p *Process) noteSchedStates() {
	for i := range p.threads.all {
		th := &p.threads.all[i]
		th.sched = schedState{}
		if p.options.OnCPU && th.ready && th.phase == listed {
			th.sched = p.readSchedState(th.tid)
		}
	}
}

// readSchedState reads the count before the state, so that the state is of a later moment.
func (p *Process) readSchedState(tid int) schedState {
	e := p.Files.Find(tid)
	if e == nil {
		return schedState{}
	}
	at := time.Now()
	runs, ok := p.Files.Count(e)
	if !ok {
		p.Files.Drop(tid)
		return schedState{}
	}
	s, err := p.Files.Stat(tid)
	if err != nil || s.Processor() < 0 || s.State() != task.Running {
		return schedState{}
	}
	return schedState{at, runs, e.Queued, s.Processor()}
}

// classifyOnCPU returns whether a stopped thread was on a processor before the stop, and which
// one.
func (p *Process) classifyOnCPU(th *thread) (task.OnCPUState, int) {
	before := &th.sched
	e := p.Files.Of(th.tid)
	if before.runs == 0 || e == nil {
		return task.OnCPUUnknown, 0
	}
	runs, ok := p.Files.Count(e)
	switch {
	case !ok:
	case runs == before.runs:
		return task.OnCPU, before.processor
	case runs == before.runs+1 && before.isOutlasted(e.Queued-before.queued, th.stoppedAt):
		return task.Queued, 0
	}
	return task.OnCPUUnknown, 0
}

// isOutlasted reports whether a wait that ended before the time ended began before the count was
// read. The kernel measures the wait by a clock that is not adjusted.
func (t *schedState) isOutlasted(wait time.Duration, ended time.Time) bool {
	const adjusted = 1000 // clocks are adjusted by at most one part in this many
	since := ended.Sub(t.at)
	return wait > since+since/adjusted
}
