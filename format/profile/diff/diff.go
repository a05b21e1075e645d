// Package diff compares two profiles, function by function.
package diff

import (
	"fmt"
	"slices"
	"stacksnap/format/profile"
)

// Measure is the quantity that a comparison is about.
type Measure uint8

// The measures.
const (
	BySamples Measure = iota // number of samples: all time, waiting included
	ByCPU                    // CPU time, in nanoseconds
)

// Scale is the normalisation of the two sides of a comparison.
type Scale uint8

// The scales.
const (
	ToTotal   Scale = iota // by shares of each side's total
	ToTime                 // by shares of the time for which each side was sampled
	AsCounted              // not scaled: the counts themselves
)

// Amount is a quantity on both sides, in samples or nanoseconds.
type Amount struct{ Before, After int64 }

func (a *Amount) add(b Amount) {
	a.Before += b.Before
	a.After += b.After
}

// Diff is the comparison of two profiles, function by function. Functions correspond if
// they have the same name in images of the same name, at any address; code without a name
// corresponds by its offset in the image. The main programs correspond whatever their names
// are. All amounts are as captured; [Diff.Value] scales them.
type Diff struct {
	Before, After *profile.Profile
	Measure       Measure
	Scale         Scale
	By            profile.Grouping
	Inverted      bool
	// Whole is the total captured on each side, and Selected the part in the trees.
	Whole, Selected Amount
	Trees           []*Tree // sorted by change, largest first
	Functions       []Function
	Noise           Noise
}

// Tree is the call tree of a group of threads: those of one name, queue or state, or all.
type Tree struct {
	Name    string // name of the threads, queue or state; empty: no name, or all threads
	Main    bool   // the tree is that of the main threads
	Threads Amount
	Total   Amount
	Roots   []*Node
}

// Node is a function called from one caller, on both sides.
type Node struct {
	*profile.Node        // the node of the later side, if it has one, else of the earlier; its counts are meaningless
	Self, Total   Amount // as the innermost frame; anywhere on the stack
	Children      []*Node

	place int // number of the function
}

// Function is a function with the amounts from all its callers.
type Function struct {
	*profile.Node
	Self, Total Amount // a recursive stack counts once in Total
	Margin      Margin

	place int
}

// IncomparableError is returned for profiles that cannot be compared as requested.
type IncomparableError struct {
	After bool   // the later profile is the cause
	Why   string // continues a sentence that begins with "it"
}

// Side returns "before" or "after".
func (e *IncomparableError) Side() string {
	if e.After {
		return "after"
	}
	return "before"
}

func (e *IncomparableError) Error() string { return e.Side() + ": it " + e.Why }

// Options are the options of a comparison.
type Options struct {
	Measure Measure
	Choose  bool // ignore Measure: take CPU time if both sides have it, else samples
	Scale   Scale
	By      profile.Grouping
}

// New compares two profiles, which may be views if both or none are inverted. It does not
// change them. The error is an *[IncomparableError].
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
	straight, m := d.merge(before.Straight(), after.Straight())
	d.Functions = d.functions(straight)
	d.findNoise(m, before.Straight(), after.Straight())
	if d.Trees = straight; d.Inverted {
		d.Trees, _ = d.merge(before, after)
	}
	for _, t := range d.Trees {
		d.Selected.add(t.Total)
		d.sort(t)
	}
	slices.SortStableFunc(d.Trees, func(a, b *Tree) int { return d.compare(a.Total, b.Total) })
	return d, nil
}

// chooseMeasure selects CPU time if both sides have some.
func (d *Diff) chooseMeasure() {
	d.Measure = BySamples
	if d.Before.Original().CountsCPU() && d.After.Original().CountsCPU() && whole(d.Before, ByCPU) > 0 && whole(d.After, ByCPU) > 0 {
		d.Measure = ByCPU
	}
}

// whole returns the total captured in a profile.
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

// check returns an error if the profiles cannot be compared.
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

// lacks returns what a side lacks for the comparison; empty if nothing.
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

// span returns the time for which a profile was sampled, as the measure of a thread that is
// there all the time; 0 if unknown.
func span(p *profile.Profile, m Measure) int64 {
	switch {
	case p.Snapshots == 1:
		return 0
	case m == ByCPU:
		return int64(p.Duration())
	}
	return int64(p.Snapshots)
}

// Basis returns the amounts of each side that the scale takes for 100%; 0 if it takes none.
func (d *Diff) Basis() (before, after int64) {
	switch d.Scale {
	case ToTotal:
		return d.Whole.Before, d.Whole.After
	case ToTime:
		return span(d.Before.Original(), d.Measure), span(d.After.Original(), d.Measure)
	}
	return 0, 0
}

// Value scales an amount: to percent of each side's total, to percent of the sampled time
// (of one thread or processor), or not at all.
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

// Change returns the growth of an amount, scaled; negative if it has shrunk.
func (d *Diff) Change(a Amount) float64 {
	before, after := d.Value(a)
	return after - before
}

// String returns the measure in a word.
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
