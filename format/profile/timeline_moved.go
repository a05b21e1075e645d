package profile

import (
	"math"
	"stacksnap/task"
)

// moves are what became of nodes of a thread's tree in another tree; nil where nobody
// wants to know.
type moves map[*Node]*Node

// moves returns an empty list of them, for a thread that has a timeline.
func (t *Timeline) moves() moves {
	if t == nil {
		return nil
	}
	return moves{}
}

// note notes what a node became.
func (m moves) note(from, to *Node) {
	if m != nil {
		m[from] = to
	}
}

// moved returns the timeline for a tree in which nodes are others. What ends in one that
// is not there is left out.
func (t *Timeline) moved(m moves) *Timeline {
	return t.where(func(n *Node) *Node { return m[n] })
}

// where is the timeline for a tree in which what became of a node is told by a function.
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

// follow notes where samples go, for a timeline.
func (g *grower) follow(t *Timeline) {
	if t != nil {
		g.moved = map[*Node]int{}
	}
}

// grown is the timeline for the tree that has grown.
func (g *grower) grown(t *Timeline) *Timeline {
	return t.where(func(n *Node) *Node {
		if at, ok := g.moved[n]; ok {
			return g.nodes[at]
		}
		return nil
	})
}

// withoutEmpty leaves out the samples of which no frame is known.
func (t *Timeline) withoutEmpty() *Timeline {
	if t == nil {
		return nil
	}
	changed := *t
	changed.leaves = append([]*Node{nil}, t.leaves[1:]...)
	return &changed
}

// TimelineBuilder makes a thread's timeline from a report that is read. Such a report
// does not say when each snapshot was taken, so they are assumed to be
// [Profile].Interval apart.
type TimelineBuilder struct {
	kept  *moments
	ended int
}

// Add adds samples that have found the same, of snapshots one after another. First is the
// number of the first, from 0. A nil leaf means that no frame of the samples is known. Add
// returns false, and adds nothing, where these are not behind those before.
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

// End is the number of the snapshot behind the last that was added.
func (b *TimelineBuilder) End() int { return b.ended }

// Timeline returns what was added; nil: nothing was.
func (b *TimelineBuilder) Timeline() *Timeline { return b.kept.timeline() }
