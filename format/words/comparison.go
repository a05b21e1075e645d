package words

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/profile/owncode"
)

// Comparison is a diff with the options of its report.
type Comparison struct {
	*diff.Diff
	Tool  string    // name and version of the comparing program
	Files [2]string // the compared files, the earlier first
	// Least is the least change of a branch that is shown, in percent of the scale's whole.
	// Depth is the number of frames from which on stacks are folded; 0: never.
	Least float64
	Depth int
}

// The thresholds of reports for people.
const (
	Steady       = .05 // percent: a smaller change is printed as none
	worthTelling = 1   // percent: least change for the first line
	mostlyOne    = .95 // share of a change: one caller with more counts as the only one
	steadyRate   = 1.2 // ratio of the totals per second from which on there is a warning
)

// DiffPrinter writes the parts of a comparison's report for people.
type DiffPrinter struct {
	*Printer
	*Comparison
	Grown, Shrunk paint
}

// NewDiffPrinter returns a printer that writes to w.
func NewDiffPrinter(w io.Writer, c *Comparison, o Options) *DiffPrinter {
	p := &DiffPrinter{Printer: NewPrinter(w, c.After, o), Comparison: c}
	p.Grown, p.Shrunk = changePaints(o.Color)
	return p
}

// About writes the header: what was compared, and how.
func (p *DiffPrinter) About() {
	p.Fact("Before", p.side(0, p.Before.Original(), p.Whole.Before))
	p.Fact("After", p.side(1, p.After.Original(), p.Whole.After))
	p.Fact("Compared", p.compared())
	p.Fact("Noise", p.noise())
	p.Fact("Grown", p.grownBranch())
	p.Fact("Shown", p.shownOf())
	if warning := p.rates(); warning != "" {
		p.warn(warning)
	}
	for i, side := range []*profile.Profile{p.Before, p.After} {
		for _, n := range side.Notes[:min(len(side.Notes), MaxNotes)] {
			p.Fact("Note", [2]string{"before", "after"}[i]+": "+Clean(n, MaxPath))
		}
	}
	p.Fact("Tool", Clean(p.Tool, MaxText))
}

// side describes one of the profiles.
func (p *DiffPrinter) side(i int, pr *profile.Profile, whole int64) string {
	text := Word(p.Files[i], MaxPath) + ": " + ProcessName(pr.Target.Name, pr.Target.PID) + ", " + Plural(pr.NumThreads(), "thread")
	switch {
	case pr.Snapshots == 1:
		text += ", one snapshot"
	case pr.Snapshots > 1:
		text += fmt.Sprintf(", %s in %s", Plural(pr.Snapshots, "snapshot"), Duration(pr.Duration()))
	case pr.Duration() > 0:
		text += ", " + Duration(pr.Duration())
	}
	if p.Measure == diff.ByCPU {
		return text + ": " + p.amount(whole) + " of CPU time"
	}
	return text + ": " + Plural(int(whole), "sample")
}

// amount formats an amount without scaling it.
func (p *DiffPrinter) amount(n int64) string {
	if p.Measure == diff.ByCPU {
		return Seconds(time.Duration(n))
	}
	return Count(int(n))
}

// compared describes the numbers in the report.
func (p *DiffPrinter) compared() string {
	what := measured(p.Measure)
	switch {
	case p.Scale == diff.ToTotal:
		return what + ", in percent of each side's total: 100 % is " + p.amount(p.Whole.Before) + " before and " + p.amount(p.Whole.After) + " after; where one grows, the others shrink"
	case p.Scale == diff.ToTime && p.Measure == diff.ByCPU:
		return what + ", in percent of the time that it was sampled for: 100 % is one CPU all the time"
	case p.Scale == diff.ToTime:
		return what + ", in percent of the snapshots: 100 % is one thread all the time"
	}
	return what + ", as counted, whatever the times they were counted in"
}

func measured(m diff.Measure) string {
	if m == diff.ByCPU {
		return "CPU time"
	}
	return "samples, of threads that wait, too"
}

// noise says how changes are distinguished from noise.
func (p *DiffPrinter) noise() string {
	n := &p.Diff.Noise
	if !n.Known {
		return ""
	}
	text := "up to " + p.margin(n.Most) + fmt.Sprintf(" by chance, at %d %% for all functions together: ", diff.Confidence)
	switch {
	case n.Before > 0 && n.After > 0:
		return text + fmt.Sprintf("by the variance between blocks of time, %d before and %d after", n.Before, n.After)
	case n.Before == 0 && n.After == 0:
		return text + "samples were taken for independent, as the files keep no times, or too few samples; it may be more"
	case n.Before == 0:
		return text + "samples of before were taken for independent, as the file keeps no times, or too few samples; it may be more"
	}
	return text + "samples of after were taken for independent, as the file keeps no times, or too few samples; it may be more"
}

// margin formats half of a confidence interval, v, on the comparison's scale.
func (c *Comparison) margin(v float64) string {
	if c.Scale == diff.AsCounted {
		return "±" + c.scaled(v)
	}
	return fmt.Sprintf("±%.1f points", v)
}

// shownOf describes the selection of samples on both sides; empty if there is none.
func (p *DiffPrinter) shownOf() string {
	text := Chosen(p.After)
	if text == "" {
		return ""
	}
	return text + " (after; before " + strings.SplitN(Chosen(p.Before), ":", 2)[0] + ")"
}

// grownBranch describes the branch that has grown most; empty if none has. It adds to the
// headline, whose function may have many callers, and may only do work that another function has
// caused.
func (p *DiffPrinter) grownBranch() string {
	n, caller := p.Diff.Grown()
	if p.Inverted || n == nil || len(n.Children) == 0 || !p.grew(n) || p.Change(n.Total) < worthTelling*p.Unit() {
		return ""
	}
	before, after := p.Sides(n.Total)
	text := p.Called(n.Node, true)
	if caller != nil {
		text += ", called by " + p.Called(caller.Node, true)
	}
	return text + ": from " + before + " to " + after + " with all that it calls"
}

// grew reports whether a branch's function, with everything that it calls, has changed beyond
// noise.
func (c *Comparison) grew(n *diff.Node) bool {
	i := slices.IndexFunc(c.Functions, n.Is)
	return i < 0 || c.Beyond(c.Functions[i].Total, c.Functions[i].Margin.Total)
}

// rates returns a warning if shares of a total hide that the total has changed; otherwise
// empty.
func (p *DiffPrinter) rates() string {
	if p.Scale != diff.ToTotal {
		return ""
	}
	d := *p.Diff
	d.Scale = diff.ToTime
	before, after := d.Value(p.Whole)
	what := "threads' time"
	if p.Measure == diff.ByCPU {
		what = "CPU time"
	}
	switch {
	case before <= 0 || after <= 0 || after/before < steadyRate && before/after < steadyRate:
		return ""
	case after > before:
		return fmt.Sprintf("after, there was %.1f times as much %s in a second as before, which shares do not show: --scale time does", after/before, what)
	}
	return fmt.Sprintf("before, there was %.1f times as much %s in a second as after, which shares do not show: --scale time does", before/after, what)
}

// Unit returns the change, on the comparison's scale, that is one percent.
func (c *Comparison) Unit() float64 {
	if c.Scale == diff.AsCounted {
		return float64(max(c.Whole.Before, c.Whole.After)) / 100
	}
	return 1
}

// Shown returns the comparison's trees, pruned.
func (c *Comparison) Shown() []*diff.Tree {
	trees := make([]*diff.Tree, len(c.Trees))
	for i, t := range c.Trees {
		trees[i] = c.Prune(t, c.Least*c.Unit(), c.Depth)
	}
	return trees
}

// most returns the index of the function in the headline: the one whose own amount has grown most
// beyond noise or, if none has, shrunk; -1 if none has changed by worthTelling.
func (c *Comparison) most() int {
	shrunk := -1
	for i, f := range c.Functions { // they are in the order of change
		switch by := c.Change(f.Self); {
		case math.Abs(by) < worthTelling*c.Unit():
			return shrunk
		case !c.Beyond(f.Self, f.Margin.Self):
		case by > 0:
			return i
		case shrunk < 0:
			shrunk = i
		}
	}
	return shrunk
}

// caller returns a phrase with the main caller of a function where it has changed, as [callerOf]
// chooses it.
func (c *Comparison) caller(f diff.Function) string {
	var by *diff.Node
	most := 0.0
	for _, t := range c.Trees {
		var path []*diff.Node
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			if change := math.Abs(c.Change(n.Self)); n.Is(f) && change > most {
				most, by = change, callerOf(path)
			}
		}
	}
	switch {
	case c.Inverted || by == nil || by.Function == "":
		return ""
	case most < mostlyOne*math.Abs(c.Change(f.Self)):
		return ", mostly called by " + Clean(shorten(by.Function), maxName)
	}
	return ", called by " + Clean(shorten(by.Function), maxName)
}

// callerOf returns the innermost frame of own code that led to the last frame of a path. If that last
// frame is own code, or no other one is, it returns the direct caller; nil if there is none.
func callerOf(path []*diff.Node) *diff.Node {
	last := len(path) - 1
	if last == 0 {
		return nil
	}
	for i := last - 1; i >= 0 && !owncode.Is(&path[last].Location); i-- {
		if owncode.Is(&path[i].Location) {
			return path[i]
		}
	}
	return path[last-1]
}

// ofWhat returns the unit of the numbers, as a phrase.
func (c *Comparison) ofWhat() string {
	switch {
	case c.Scale == diff.ToTotal && c.Measure == diff.ByCPU:
		return " of the CPU time"
	case c.Scale == diff.ToTotal:
		return " of all samples"
	case c.Scale == diff.ToTime && c.Measure == diff.ByCPU:
		return " of a CPU"
	case c.Scale == diff.ToTime:
		return " of a thread"
	case c.Measure == diff.ByCPU:
		return " of CPU time"
	}
	return " samples"
}

// Sides formats both sides of an amount on the comparison's scale.
func (c *Comparison) Sides(a diff.Amount) (before, after string) {
	one, two := c.Value(a)
	return c.scaled(one), c.scaled(two)
}

func (c *Comparison) scaled(v float64) string {
	switch {
	case c.Scale != diff.AsCounted:
		return fmt.Sprintf("%.1f %%", v)
	case c.Measure == diff.ByCPU:
		return Seconds(time.Duration(v))
	}
	return Count(int(v))
}

// ChangeText formats the change of an amount, with its sign.
func (c *Comparison) ChangeText(a diff.Amount) string {
	by := c.Change(a)
	if c.Scale == diff.AsCounted {
		switch {
		case by == 0:
			return "="
		case by > 0:
			return "+" + c.scaled(by)
		}
		return "-" + c.scaled(-by)
	}
	if math.Abs(by) < Steady {
		return "="
	}
	return fmt.Sprintf("%+.1f", by)
}

// WithinNoise is printed for a change that may be noise.
const WithinNoise = "~"

// Judged is ChangeText of an amount with a margin of noise.
func (c *Comparison) Judged(a diff.Amount, margin float64) string {
	if text := c.ChangeText(a); text == "=" || c.Beyond(a, margin) {
		return text
	}
	return WithinNoise
}

// changePaints returns the colours for growth and shrinkage.
func changePaints(colored bool) (grown, shrunk paint) {
	if !colored {
		plain := newPalette(false).Name
		return plain, plain
	}
	return painter(color.FgRed), painter(color.FgGreen)
}

// Called returns the name of a function with its image, or without if short.
func (p *DiffPrinter) Called(n *profile.Node, short bool) string {
	if n.Image == nil && n.Function != "" || short && n.Function != "" {
		return p.Name(p.Function(n.Location))
	}
	return p.InFull(n.Location)
}

// Title returns the title of a tree, which names its threads.
func (p *DiffPrinter) Title(t *diff.Tree) string {
	whose := "All threads"
	switch {
	case t.Main:
		whose = "The main thread"
	case p.By == profile.ByThread && t.Name == "":
		whose = "Threads without a name"
	case p.By == profile.ByThread:
		whose = "Threads named " + Quoted(t.Name)
	case p.By == profile.ByQueue && t.Name == "":
		whose = "Threads of no dispatch queue"
	case p.By == profile.ByQueue:
		whose = "Threads of DispatchQueue " + Quoted(t.Name)
	case p.By == profile.ByState:
		whose = "Threads " + Clean(t.Name, MaxText)
	}
	text := p.Name(whose)
	if p.By != profile.ByProcess && !t.Main {
		text += fmt.Sprintf(" (%s before, %s after)", Count(int(t.Threads.Before)), Count(int(t.Threads.After)))
	}
	if p.Inverted {
		text += ", the innermost functions first, and below each those that called it"
	}
	return text + ":"
}
