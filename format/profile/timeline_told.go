package profile

import (
	"math"

	"stacksnap/task"
)

// TimelineBuilder makes a timeline of what a report tells of a thread's samples. In a
// profile that no [Builder] has made, snapshots are an Interval apart.
type TimelineBuilder struct {
	kept  *moments
	ended int
}

// Add adds samples that have found the same, of snapshots one after another, the first of
// which is counted from 0. A leaf of nil is that of samples of which no frame is known. It
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
