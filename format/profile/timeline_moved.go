package profile

import (
	"math"
	"stacksnap/task"
)

// moves maps the nodes of a thread's tree to those of a changed tree; nil if the thread has
// no timeline.
type moves map[*Node]*Node

// moves returns an empty map for a thread that has a timeline, otherwise nil.
func (t *Timeline) moves() moves {
	if t == nil {
		return nil
	}
	return moves{}
}

// note records the new node for an old one.
func (m moves) note(from, to *Node) {
	if m != nil {
		m[from] = to
	}
}

// moved returns the timeline for a changed tree. It leaves out samples that end in nodes
// without a new one.
func (t *Timeline) moved(m moves) *Timeline {
	return t.where(func(n *Node) *Node { return m[n] })
}

// where returns the timeline with each leaf replaced by node(leaf).
func (t *Timeline) where(node func(*Node) *Node) *Timeline {
	if t == nil {
		return nil
	}
	changed := *t
	changed.leaves = make([]*Node, len(t.leaves))
	for i, n := range t.leaves {
		if n == noFrame {
			changed.leaves[i] = noFrame
		} else if n != nil {
			changed.leaves[i] = node(n)
		}
	}
	return &changed
}

// follow makes the grower record where samples go, if there is a timeline.
func (g *grower) follow(t *Timeline) {
	if t != nil {
		g.moved = map[*Node]int{}
	}
}

// grown returns the timeline for the rebuilt tree.
func (g *grower) grown(t *Timeline) *Timeline {
	return t.where(func(n *Node) *Node {
		if at, ok := g.moved[n]; ok {
			return g.nodes[at]
		}
		return nil
	})
}

// withoutEmpty leaves out the samples without any frame.
func (t *Timeline) withoutEmpty() *Timeline {
	if t == nil {
		return nil
	}
	changed := *t
	changed.leaves = append([]*Node{nil}, t.leaves[1:]...)
	return &changed
}

// TimelineBuilder builds a thread's timeline from a report. Reports do not have the times
// of snapshots, so these are assumed to be [Profile].Interval apart.
type TimelineBuilder struct {
	kept  *moments
	ended int
}

// Add adds equal samples of consecutive snapshots. first is the index of the first
// snapshot. A nil leaf means that no frame is known. Add returns false and adds nothing if
// the samples are not after those added before.
func (b *TimelineBuilder) Add(first, samples int, leaf *Node, state task.State) bool {
	if first < b.ended || samples < 1 || samples > math.MaxInt32-first {
		return false
	}
	if b.kept == nil {
		b.kept = newMoments()
	}
	number := 0
	if leaf != nil {
		number = b.kept.number(leaf)
	}
	b.kept.add(run{first: first, samples: samples, leaf: number, state: state}, 0)
	b.ended = first + samples
	return true
}

// End returns the index of the snapshot after the last one added.
func (b *TimelineBuilder) End() int { return b.ended }

// Timeline returns the timeline, nil if nothing was added.
func (b *TimelineBuilder) Timeline() *Timeline { return b.kept.timeline() }
