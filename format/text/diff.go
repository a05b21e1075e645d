package text

import (
	"io"

	"stacksnap/format/words"
)

// diffTree writes for people what was compared, the functions that changed most, and the
// call trees of both sides in one, with the branches that changed.
func diffTree(w io.Writer, c *words.Comparison, o words.Options) error {
	p := newDiffPrinter(w, c, o)
	p.header()
	p.table()
	p.trees()
	return p.Flush()
}

// diffTable is [diffTree] without the trees.
func diffTable(w io.Writer, c *words.Comparison, o words.Options) error {
	p := newDiffPrinter(w, c, o)
	p.header()
	p.table()
	return p.Flush()
}

func (p *diffPrinter) header() {
	p.Text("", 2, p.Name(words.DiffHeadline(p.Comparison)))
	p.Line("")
	p.About()
}
