package text

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// printer writes the parts of a report that are a report's alone: trees, threads and
// images. What they say is for [words.Printer] to tell.
type printer struct{ words.Printer }

func newPrinter(w io.Writer, p *profile.Profile, o words.Options) *printer {
	return &printer{*words.NewPrinter(w, p, o)}
}

// diffPrinter writes a comparison.
type diffPrinter struct{ *words.DiffPrinter }

func newDiffPrinter(w io.Writer, c *words.Comparison, o words.Options) *diffPrinter {
	return &diffPrinter{words.NewDiffPrinter(w, c, o)}
}
