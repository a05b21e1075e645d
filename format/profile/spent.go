package profile

import (
	"slices"
	"time"

	"stacksnap/task"
)

// Spent is the time of a thread, where the system measures it. The time for which a
// runnable thread was stopped by us is in none of the fields.
type Spent struct {
	OnCPU   time.Duration
	Queued  time.Duration // runnable, waiting for a CPU
	Blocked time.Duration // waiting for something else, as far as samples show
}

// Add adds the time of other samples.
func (s *Spent) Add(other Spent) {
	s.OnCPU += other.OnCPU
	s.Queued += other.Queued
	s.Blocked += other.Blocked
}

// spending assigns a thread's time to its samples.
type spending struct {
	at   time.Time // time of the last sample
	last task.Schedule
	// open is the time that is not assigned to a function yet. It waits for a sample in
	// which the thread is runnable, or blocked. Blocked may be negative for a while, as the
	// counters may be late.
	open Spent
}

// spend assigns the time since the last sample to the thread's present function: the time
// on and waiting for a CPU if the thread is runnable now, the blocked time if it is
// blocked. The rest is left for the next sample of the other kind.
func (r *record) spend(now task.Schedule, state task.State, at time.Time) {
	if !now.Known() {
		return
	}
	s := &r.spending
	begun := s.last.Known()
	ran, queued, stopped := now.Ran-s.last.Ran, now.Queued-s.last.Queued, now.Stopped-s.last.Stopped
	elapsed := at.Sub(s.at)
	s.at, s.last = at, now
	if !begun || ran < 0 || queued < 0 || stopped < 0 || elapsed < 0 {
		return
	}
	r.target().Spent.Add(Spent{OnCPU: ran, Queued: queued})
	s.open.Add(Spent{ran, queued, elapsed - ran - queued - stopped})
	r.settle(state)
}

// settle assigns the open time to the innermost frame of the last sample. Only a sample of
// a blocked thread proves that the rest of the time was spent blocked: for a thread waiting
// for a CPU, that wait is not counted yet.
func (r *record) settle(state task.State) {
	var now Spent
	open := &r.spending.open
	switch {
	case state == task.Running && len(r.path) > 0:
		now.OnCPU, now.Queued = open.OnCPU, open.Queued
	case state != task.Running && state != task.StateUnknown && open.Blocked > 0:
		now.Blocked = open.Blocked
		r.target().Spent.Blocked += now.Blocked
	}
	open.Add(Spent{-now.OnCPU, -now.Queued, -now.Blocked})
	if len(r.path) > 0 {
		r.path[len(r.path)-1].Spent.Add(now)
	}
}

// Spending returns the time and states of a node and all nodes below it; in an inverted
// tree, those of the samples in which the innermost function is the node's.
func (n *Node) Spending() (spent Spent, states *States) {
	for _, below := range preorder([]*Node{n}) {
		spent.Add(below.Spent)
		states = states.plus(below.States, 1)
	}
	return spent, states
}

// withSpent returns copies of nodes with the time of equal nodes in another tree added.
func withSpent(nodes, others []*Node) []*Node {
	if len(nodes) == 0 {
		return nil
	}
	sums := make([]*Node, len(nodes))
	for i, n := range nodes {
		sum := *n
		sum.Spent.Add(others[i].Spent)
		sum.Children = withSpent(n.Children, others[i].Children)
		sums[i] = &sum
	}
	return sums
}

// CountsCPU reports whether the system measured the CPU time of threads from sample to
// sample.
func (p *Profile) CountsCPU() bool {
	return p.Snapshots != 1 && slices.ContainsFunc(p.Threads, func(t *Thread) bool { return t.Spent != Spent{} })
}
