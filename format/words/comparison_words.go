package words

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/profile/diff"
)

// DiffTitle names both files in one line.
func DiffTitle(c *Comparison) string {
	return Clean(c.Files[0], MaxPath) + " → " + Clean(c.Files[1], MaxPath)
}

// DiffFacts returns the header of a comparison's report.
func DiffFacts(c *Comparison) (facts []Fact) {
	p := NewDiffPrinter(io.Discard, c, Options{})
	p.facts = &facts
	p.About()
	return facts
}

// DiffThreads names the threads of a tree.
func DiffThreads(c *Comparison, t *diff.Tree) string {
	return strings.TrimSuffix(NewDiffPrinter(io.Discard, c, Options{}).Title(t), ":")
}

// DiffChange formats an amount on both sides, and its change.
func DiffChange(c *Comparison, a diff.Amount) string {
	before, after := c.Sides(a)
	change := c.ChangeText(a)
	if change == "=" {
		change = "the same"
	}
	return before + " before, " + after + " after: " + change
}

// DiffHeadline describes in one line, without a line end, what has changed most.
func DiffHeadline(c *Comparison) string {
	most := c.most()
	switch {
	case most >= 0:
	case slices.ContainsFunc(c.Functions, c.Changed):
		return fmt.Sprintf("no function changed by %d %% or more of its own", worthTelling)
	case c.Noise.Known:
		return "no change beyond noise (" + c.margin(c.Noise.Most) + ")"
	default:
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
	case c.Change(f.Self) < 0:
		text += " shrank from " + before + " to " + after
	default:
		text += " grew from " + before + " to " + after
	}
	return text + c.ofWhat() + c.caller(f)
}
