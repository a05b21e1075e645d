package words

import (
	"io"
	"stacksnap/format/profile/diff"
	"strings"
)

// DiffTitle names what was compared in a line.
func DiffTitle(c *Comparison) string {
	return Clean(c.Files[0], MaxPath) + " → " + Clean(c.Files[1], MaxPath)
}

// DiffFacts are what was compared with what, how, and what to beware of.
func DiffFacts(c *Comparison) (facts []Fact) {
	p := NewDiffPrinter(io.Discard, c, Options{})
	p.facts = &facts
	p.About()
	return facts
}

// DiffThreads names the threads that a tree is of.
func DiffThreads(c *Comparison, t *diff.Tree) string {
	return strings.TrimSuffix(NewDiffPrinter(io.Discard, c, Options{}).Title(t), ":")
}

// DiffChange writes an amount on both sides, and by how much it has changed.
func DiffChange(c *Comparison, a diff.Amount) string {
	before, after := c.Sides(a)
	change := c.ChangeText(a)
	if change == "=" {
		change = "the same"
	}
	return before + " before, " + after + " after: " + change
}
