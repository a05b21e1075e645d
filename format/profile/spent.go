package profile

import (
	"slices"
	"time"

	"stacksnap/task"
)

// Spent is on what a thread has spent time, where the system counts that. The time
// for which it stood in stops though it could have run is none of these.
type Spent struct {
	OnCPU   time.Duration
	Queued  time.Duration // it could have run, and waited for a processor
	Blocked time.Duration // it waited for something else, as far as samples saw it
}

func (s *Spent) add(other Spent) {
	s.OnCPU += other.OnCPU
	s.Queued += other.Queued
	s.Blocked += other.Blocked
}

// spending splits a thread's time from sample to sample.
type spending struct {
	at   time.Time // of the last sample
	last task.Schedule
	// open is what was not yet said to have been spent in a function: it waits for a
	// sample in which the thread could run, or was blocked. Blocked may be negative
	// for a while, as the counters may be behind.
	open Spent
}

// spend counts the time since the last sample. It belongs to the function that the
// thread is in now, as the sample does: the time on and for a processor if it can
// run, and that in which it was blocked if it is so. What does not go with the
// sample goes with the next that it does go with.
func (r *record) spend(now task.Schedule, state task.State, at time.Time) {
	if !now.Known() {
		return
	}
	s := &r.spending
	begun := s.last.Known()
	ran, queued, stood := now.Ran-s.last.Ran, now.Queued-s.last.Queued, now.Stood-s.last.Stood
	elapsed := at.Sub(s.at)
	s.at, s.last = at, now
	if !begun || ran < 0 || queued < 0 || stood < 0 || elapsed < 0 {
		return
	}
	r.target().Spent.add(Spent{OnCPU: ran, Queued: queued})
	s.open.add(Spent{ran, queued, elapsed - ran - queued - stood})
	r.settle(state)
}

// settle gives what is open to the innermost frame of the last sample. Only at a
// sample of a blocked thread it is certain that what is left of the time was spent
// so: of one that waits for a processor that wait is not counted yet.
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
	open.add(Spent{-now.OnCPU, -now.Queued, -now.Blocked})
	if len(r.path) > 0 {
		r.path[len(r.path)-1].Spent.add(now)
	}
}

// Spending returns what goes with the samples of a node and of all below it: of a tree
// that was inverted, with those of an innermost function.
func (n *Node) Spending() (spent Spent, states *States) {
	for _, below := range preorder([]*Node{n}) {
		spent.add(below.Spent)
		states = states.plus(below.States, 1)
	}
	return spent, states
}

// withSpent returns copies of nodes with what was spent in those of a tree that is
// alike added.
func withSpent(nodes, others []*Node) []*Node {
	if len(nodes) == 0 {
		return nil
	}
	sums := make([]*Node, len(nodes))
	for i, n := range nodes {
		sum := *n
		sum.Spent.add(others[i].Spent)
		sum.Children = withSpent(n.Children, others[i].Children)
		sums[i] = &sum
	}
	return sums
}

// CountsCPU reports whether the system has counted how much time threads were on a
// processor, from sample to sample.
func (p *Profile) CountsCPU() bool {
	return p.Snapshots != 1 && slices.ContainsFunc(p.Threads, func(t *Thread) bool { return t.Spent != Spent{} })
}
