// Package diff compares two profiles, function by function.
package diff

import (
	"fmt"
	"slices"
	"stacksnap/format/profile"
)

// Measure is what of a function is compared.
type Measure uint8

// The measures.
const (
	BySamples Measure = iota // in how many it was: all time, that of waiting too
	ByCPU                    // time on a processor, in nanoseconds
)

// Scale is what makes both sides of a diff comparable.
type Scale uint8

// The scales.
const (
	ToTotal   Scale = iota // shares of each side's whole
	ToTime                 // shares of the time for which each side was sampled
	AsCounted              // none: what was counted
)

// Amount is how much there is on each side: samples, or nanoseconds.
type Amount struct{ Before, After int64 }

func (a *Amount) add(b Amount) {
	a.Before += b.Before
	a.After += b.After
}

// Diff is how two profiles differ, function by function. Functions are the same that
// have the same name in an image of the same name, at whatever address: code without a
// name is known by its place in the image. The programs themselves are one image,
// whatever their files are called. No count is made up: all are as captured, and
// [Diff.Value] has them to one scale.
type Diff struct {
	Before, After *profile.Profile
	Measure       Measure
	Scale         Scale
	By            profile.Grouping
	Inverted      bool
	// Whole is all that was captured on each side, and Selected what the diff has of it.
	Whole, Selected Amount
	Trees           []*Tree // what changed most first
	Functions       []Function
}

// Tree is the calls of threads that belong together: those of one name, queue or
// state, or all of them.
type Tree struct {
	Name    string // of the threads, the queue or the state; empty: they have none, or are all
	Main    bool   // the main threads
	Threads Amount
	Total   Amount
	Roots   []*Node
}

// Node is a function as called from one place on both sides.
type Node struct {
	*profile.Node        // where it is, of one side, the later where it has it; its counts mean nothing
	Self, Total   Amount // it was innermost; it was on the stack
	Children      []*Node

	place int // the same for each node of the function
}

// Function is a function, wherever it was called.
type Function struct {
	*profile.Node
	Self, Total Amount // a stack counts once in Total, however often it has the function

	place int
}

// IncomparableError is about profiles that cannot be compared as wanted.
type IncomparableError struct {
	After bool   // which of them is to blame
	Why   string // completes "it ..."
}

// Side names the profile.
func (e *IncomparableError) Side() string {
	if e.After {
		return "after"
	}
	return "before"
}

func (e *IncomparableError) Error() string { return e.Side() + ": it " + e.Why }

// Options are how profiles are compared.
type Options struct {
	Measure Measure
	Choose  bool // the measure: CPU time, where both sides have that, else samples
	Scale   Scale
	By      profile.Grouping
}

// New compares two profiles, which may be views: selected, or both turned. The error is
// an *[IncomparableError]. Both profiles are left as they are.
func New(before, after *profile.Profile, o Options) (*Diff, error) {
	d := &Diff{Before: before, After: after, Measure: o.Measure, Scale: o.Scale, By: o.By}
	d.Inverted = after.View != nil && after.View.Inverted
	if o.Choose {
		d.chooseMeasure()
	}
	d.Whole = Amount{whole(before, d.Measure), whole(after, d.Measure)}
	if err := d.check(); err != nil {
		return nil, err
	}
	straight := d.merge(before.Straight(), after.Straight())
	d.Functions = d.functions(straight)
	if d.Trees = straight; d.Inverted {
		d.Trees = d.merge(before, after)
	}
	for _, t := range d.Trees {
		d.Selected.add(t.Total)
		d.sort(t)
	}
	slices.SortStableFunc(d.Trees, func(a, b *Tree) int { return d.compare(a.Total, b.Total) })
	return d, nil
}

// chooseMeasure takes CPU time where there is some on both sides.
func (d *Diff) chooseMeasure() {
	d.Measure = BySamples
	if d.Before.Original().CountsCPU() && d.After.Original().CountsCPU() && whole(d.Before, ByCPU) > 0 && whole(d.After, ByCPU) > 0 {
		d.Measure = ByCPU
	}
}

// whole is all that was captured.
func whole(p *profile.Profile, m Measure) (sum int64) {
	for _, t := range p.Original().Threads {
		if m == ByCPU {
			sum += int64(t.Spent.OnCPU)
			continue
		}
		n := t.Empty
		for _, node := range t.Nodes() {
			n += node.Self
		}
		sum += int64(n * t.Weight())
	}
	return sum
}

// check refuses what cannot be compared.
func (d *Diff) check() error {
	for _, side := range []struct {
		*profile.Profile
		after bool
		whole int64
	}{{d.Before, false, d.Whole.Before}, {d.After, true, d.Whole.After}} {
		if why := d.lacks(side.Original(), side.whole); why != "" {
			return &IncomparableError{side.after, why}
		}
	}
	if one, two := d.Before.View, d.After.View; (one != nil && one.Inverted) != (two != nil && two.Inverted) {
		return &IncomparableError{Why: "is turned, or the other is, and not both"}
	}
	return nil
}

// lacks says what a side lacks.
func (d *Diff) lacks(p *profile.Profile, whole int64) string {
	switch {
	case d.Measure == ByCPU && !p.CountsCPU():
		return "does not tell CPU time: compare samples"
	case d.Scale == ToTime && span(p, d.Measure) <= 0 && p.Snapshots == 1:
		return "is one snapshot, which takes no time: compare shares of the total"
	case d.Scale == ToTime && span(p, d.Measure) <= 0:
		return "does not tell how long or how often it was sampled: compare shares of the total"
	case d.Scale == ToTotal && whole <= 0 && d.Measure == ByCPU:
		return "has used no CPU time, of which there could be shares: compare samples"
	case d.Scale == ToTotal && whole <= 0:
		return "has no samples"
	}
	return ""
}

// span is the time for which a profile was sampled, as a thread that is always there
// would be measured; 0 where that is not known.
func span(p *profile.Profile, m Measure) int64 {
	switch {
	case p.Snapshots == 1:
		return 0
	case m == ByCPU:
		return int64(p.Duration())
	}
	return int64(p.Snapshots)
}

// Basis is what the scale takes for the whole of each side; 0 where it takes nothing.
func (d *Diff) Basis() (before, after int64) {
	switch d.Scale {
	case ToTotal:
		return d.Whole.Before, d.Whole.After
	case ToTime:
		return span(d.Before.Original(), d.Measure), span(d.After.Original(), d.Measure)
	}
	return 0, 0
}

// Value returns an amount to the diff's scale: percent of each side's total, percent of
// the time it was sampled for (of one thread, or one processor), or what was counted.
func (d *Diff) Value(a Amount) (before, after float64) {
	before, after = float64(a.Before), float64(a.After)
	if d.Scale == AsCounted {
		return before, after
	}
	one, two := d.Basis()
	return percentOf(before, one), percentOf(after, two)
}

func percentOf(part float64, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * part / float64(whole)
}

// Change is by how much an amount has grown, to the diff's scale; negative: it has shrunk.
func (d *Diff) Change(a Amount) float64 {
	before, after := d.Value(a)
	return after - before
}

// String returns the measure in words.
func (m Measure) String() string {
	switch m {
	case BySamples:
		return "samples"
	case ByCPU:
		return "cpu"
	}
	return fmt.Sprintf("measure %d", uint8(m))
}

// String returns the scale in a word.
func (s Scale) String() string {
	switch s {
	case ToTotal:
		return "total"
	case ToTime:
		return "time"
	case AsCounted:
		return "none"
	}
	return fmt.Sprintf("scale %d", uint8(s))
}
