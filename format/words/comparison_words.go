package words

import (
	"io"
	"stacksnap/format/profile/diff"
	"strings"
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
