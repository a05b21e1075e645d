package format

import (
	"io"
	"strings"

	"stacksnap/format/profile"
)

// DiffTitle names what was compared in a line.
func DiffTitle(c *Comparison) string {
	return clean(c.Files[0], maxPath) + " → " + clean(c.Files[1], maxPath)
}

// DiffFacts are what was compared with what, how, and what to beware of.
func DiffFacts(c *Comparison) (facts []Fact) {
	p := newDiffPrinter(io.Discard, c, Options{})
	p.facts = &facts
	p.about()
	return facts
}

// DiffThreads names the threads that a tree is of.
func DiffThreads(c *Comparison, t *profile.DiffTree) string {
	return strings.TrimSuffix(newDiffPrinter(io.Discard, c, Options{}).title(t), ":")
}

// DiffChange writes an amount on both sides, and by how much it has changed.
func DiffChange(c *Comparison, a profile.Amount) string {
	before, after := c.sides(a)
	change := c.change(a)
	if change == "=" {
		change = "the same"
	}
	return before + " before, " + after + " after: " + change
}
