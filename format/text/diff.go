package text

import (
	"io"

	"stacksnap/format/words"
)

// DiffTree writes for people what was compared, the functions that changed most, and the
// call trees of both sides in one, with the branches that changed.
func DiffTree(o words.Options) words.DiffWriter {
	return func(w io.Writer, c *words.Comparison) error {
		p := newDiffPrinter(w, c, o)
		p.header()
		p.table()
		p.trees()
		return p.Flush()
	}
}

// DiffTable is [DiffTree] without the trees.
func DiffTable(o words.Options) words.DiffWriter {
	return func(w io.Writer, c *words.Comparison) error {
		p := newDiffPrinter(w, c, o)
		p.header()
		p.table()
		return p.Flush()
	}
}

func (p *diffPrinter) header() {
	p.Text("", 2, p.Name(words.DiffHeadline(p.Comparison)))
	p.Line("")
	p.About()
}
