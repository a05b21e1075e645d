package words

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/fatih/color"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
)

// Comparison is a diff as it is to be reported.
type Comparison struct {
	*diff.Diff
	Tool  string    // that compares
	Files [2]string // that were compared, the earlier first
	// Least is the change, in percent of the scale's whole, from which a branch is shown,
	// and Depth how many frames of a stack; 0: all.
	Least float64
	Depth int
}

// The bounds of reports for people.
const (
	Steady       = .05 // a change that is none as it is printed, in percent
	worthTelling = 1   // one that the first line tells of
	mostlyOne    = .95 // of a change, from which one caller has it all
	steadyRate   = 1.2 // by which the total may have grown in a second before a warning
)

// DiffPrinter writes the parts of a comparison for people.
type DiffPrinter struct {
	*Printer
	*Comparison
	Grown, Shrunk paint
}

// NewDiffPrinter returns one that writes to w.
func NewDiffPrinter(w io.Writer, c *Comparison, o Options) *DiffPrinter {
	p := &DiffPrinter{Printer: NewPrinter(w, c.After, o), Comparison: c}
	p.Grown, p.Shrunk = changePaints(o.Color)
	return p
}

// About says what was compared with what, and how.
func (p *DiffPrinter) About() {
	p.Fact("Before", p.side(0, p.Before.Original(), p.Whole.Before))
	p.Fact("After", p.side(1, p.After.Original(), p.Whole.After))
	p.Fact("Compared", p.compared())
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

// side says what one of the profiles is.
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

// amount writes what was counted.
func (p *DiffPrinter) amount(n int64) string {
	if p.Measure == diff.ByCPU {
		return Seconds(time.Duration(n))
	}
	return Count(int(n))
}

// compared says what the numbers are.
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

// shownOf says what was chosen on both sides.
func (p *DiffPrinter) shownOf() string {
	text := Chosen(p.After)
	if text == "" {
		return ""
	}
	return text + " (after; before " + strings.SplitN(Chosen(p.Before), ":", 2)[0] + ")"
}

// grownBranch says where stacks have become more, if they have: the function that the first
// line tells of may be called by anything, and only pass on what another one has caused.
func (p *DiffPrinter) grownBranch() string {
	n, caller := p.Diff.Grown()
	if p.Inverted || n == nil || len(n.Children) == 0 || p.Change(n.Total) < worthTelling*p.Unit() {
		return ""
	}
	before, after := p.Sides(n.Total)
	text := p.Called(n.Node, true)
	if caller != nil {
		text += ", called by " + p.Called(caller.Node, true)
	}
	return text + ": from " + before + " to " + after + " with all that it calls"
}

// rates warns where shares of a total hide that the total has changed.
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

// Unit is what a change of one percent is, to the scale of a comparison.
func (c *Comparison) Unit() float64 {
	if c.Scale == diff.AsCounted {
		return float64(max(c.Whole.Before, c.Whole.After)) / 100
	}
	return 1
}

// Shown are the trees of the comparison, as far as they are to be shown.
func (c *Comparison) Shown() []*diff.Tree {
	trees := make([]*diff.Tree, len(c.Trees))
	for i, t := range c.Trees {
		trees[i] = c.Prune(t, c.Least*c.Unit(), c.Depth)
	}
	return trees
}

// DiffHeadline says in one line, without a line end, what changed most.
func DiffHeadline(c *Comparison) string {
	most := -1
	for i, f := range c.Functions {
		if c.Change(f.Self) >= worthTelling*c.Unit() {
			most = i
			break // they are in the order of change
		}
	}
	if most < 0 && len(c.Functions) > 0 && -c.Change(c.Functions[0].Self) >= worthTelling*c.Unit() {
		most = 0
	}
	if most < 0 {
		return fmt.Sprintf("no function changed by %d %% or more of its own", worthTelling)
	}
	f := c.Functions[most]
	p := &Printer{short: true}
	before, after := c.Sides(f.Self)
	text := p.Shown(f.Function)
	if f.Function == "" {
		text = (&Printer{palette: newPalette(false)}).InFull(f.Location)
	}
	switch {
	case f.Self.Before == 0:
		text += " is new on top of stacks: " + after
	case f.Self.After == 0:
		text += " is gone from the top of stacks: it was " + before
	case most == 0 && c.Change(f.Self) < 0:
		text += " shrank from " + before + " to " + after
	default:
		text += " grew from " + before + " to " + after
	}
	return text + c.ofWhat() + c.caller(f)
}

// caller names who called a function where it changed most.
func (c *Comparison) caller(f diff.Function) string {
	var by *diff.Node
	most := 0.0
	for _, t := range c.Trees {
		var path []*diff.Node
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			if change := math.Abs(c.Change(n.Self)); n.Is(f) && change > most {
				if most, by = change, nil; depth > 0 {
					by = path[depth-1]
				}
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

// ofWhat says of what numbers are.
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

// Sides writes an amount to the scale.
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

// ChangeText writes by how much an amount has grown, with its sign.
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

// changePaints mark what has grown and what has shrunk.
func changePaints(colored bool) (grown, shrunk paint) {
	if !colored {
		plain := newPalette(false).Name
		return plain, plain
	}
	return painter(color.FgRed), painter(color.FgGreen)
}

// Called names a function, and the image it is in unless that is left out.
func (p *DiffPrinter) Called(n *profile.Node, short bool) string {
	if n.Image == nil && n.Function != "" || short && n.Function != "" {
		return p.Name(p.Function(n.Location))
	}
	return p.InFull(n.Location)
}

// Title says whose the tree is.
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
