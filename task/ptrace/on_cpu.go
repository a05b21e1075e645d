//go:build linux && (amd64 || arm64)

package ptrace

import (
	"time"

	"stacksnap/task"
)

// The state R of a thread means that it is on a processor or waits for one. Which
// of the two is proven by what it does on its way into a stop, for it executes that
// itself: it has to be on a processor for it, and the kernel counts each time that
// it comes to one (see procfs.ThreadFile). With the same count before and in the stop it had one
// all the time. With one more it waited in between; and if that wait, which the
// kernel adds up as it ends (sched_info_arrive), was longer than all the time since
// the count before, it waited then.

// turn is what was read of a thread that could run, before a stop.
type turn struct {
	at        time.Time // just before that
	runs      uint64    // how often it had come to a processor; 0: not known
	queued    time.Duration
	processor int
}

var (
	_ task.Turner    = (*Process)(nil)
	_ task.Scheduler = (*Process)(nil)
)

// ProveTurns implements [task.Turner].
func (p *Process) ProveTurns(on bool) { p.turns = on }

// noteTurns reads the counts of the threads that could run when they were
// described.
func (p *Process) noteTurns() {
	for i := range p.threads.all {
		th := &p.threads.all[i]
		th.turn = turn{}
		if p.turns && th.ready && th.phase == listed {
			th.turn = p.turnNow(th.tid)
		}
	}
}

// turnNow reads the count first: the state is of a moment after it.
func (p *Process) turnNow(tid int) turn {
	e := p.Files.Find(tid)
	if e == nil {
		return turn{}
	}
	at := time.Now()
	runs, ok := p.Files.Count(e)
	if !ok {
		p.Files.Drop(tid)
		return turn{}
	}
	s, err := p.Files.Stat(tid)
	if err != nil || s.Processor() < 0 || s.State() != task.Running {
		return turn{}
	}
	return turn{at, runs, e.Queued, s.Processor()}
}

// turnOf reports whether a thread that stands had a processor before, and which.
func (p *Process) turnOf(th *thread) (task.Turn, int) {
	before := &th.turn
	e := p.Files.Of(th.tid)
	if before.runs == 0 || e == nil {
		return task.TurnUnknown, 0
	}
	runs, ok := p.Files.Count(e)
	switch {
	case !ok:
	case runs == before.runs:
		return task.OnCPU, before.processor
	case runs == before.runs+1 && before.isOutlasted(e.Queued-before.queued, th.stood):
		return task.Queued, 0
	}
	return task.TurnUnknown, 0
}

// isOutlasted reports whether a wait that ended before a moment had begun before the
// count was read. The kernel measures it by a clock that is not adjusted.
func (t *turn) isOutlasted(wait time.Duration, ended time.Time) bool {
	const adjusted = 1000 // one part in so many, at most
	since := ended.Sub(t.at)
	return wait > since+since/adjusted
}
