package text

import (
	"io"

	"stacksnap/format/words"
)

// diffTree writes the report of a comparison: the header, the functions that changed most,
// and the merged call trees of both sides.
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
