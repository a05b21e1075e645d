package html

import (
	"stacksnap/format/profile/diff"
	"stacksnap/format/words"
)

// compared is the data of a comparison beside its trees.
type compared struct {
	Measure string     `json:"measure"`
	Shares  bool       `json:"shares"` // values are percentages, not counts
	Scale   [2]float64 `json:"scale"`  // factor for a sample or nanosecond, before and after
}

// diff writes a comparison as one process with a thread for each tree. The first of a
// node's three values is its own amount after, the second its own amount before.
func (d *data) diff(c *words.Comparison) {
	d.text(`{"tool":`)
	d.value(words.Printable(c.Tool))
	d.text(`,"title":`)
	d.value(words.DiffTitle(c))
	d.text(`,"summary":`)
	d.value(words.DiffHeadline(c))
	d.text(`,"facts":[],"compared":`)
	d.value(comparedOf(c))
	d.text(",\"processes\":[\n{\"header\":")
	d.value(header{Name: words.DiffTitle(c), Summary: words.DiffHeadline(c), Inverted: c.Inverted, Facts: pairs(words.DiffFacts(c)), Deadlocks: []deadlock{}})
	d.text(",\"threads\":[")
	w := words.NewWords(c.After)
	for i, t := range c.Shown() {
		d.separate(i)
		d.diffTree(w, c, t)
	}
	d.text("]}\n]")
	d.tables()
	d.text("}\n")
}

func comparedOf(c *words.Comparison) compared {
	before, after := c.Value(diff.Amount{Before: 1, After: 1})
	return compared{c.Measure.String(), c.Scale != diff.AsCounted, [2]float64{before, after}}
}

func (d *data) diffTree(w *words.Words, c *words.Comparison, t *diff.Tree) {
	d.text("\n{\"about\":")
	d.value(thread{Name: words.DiffThreads(c, t), Main: false, Facts: []string{words.DiffChange(c, t.Total)}, Waits: []string{}})
	d.text(",\"nodes\":[")
	first := true
	for depth, n := range t.Nodes() {
		if !first {
			d.text(",")
		}
		first = false
		d.numbers(int64(depth), int64(d.frame(w, n.Node)), int64(d.remark(w, n.Node)), n.Self.After, n.Self.Before, 0)
	}
	d.text("]}")
}
