package text

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// printer writes the trees, threads and images of a report. The wording of their parts is
// in [words.Printer].
type printer struct {
	words.Printer
	factsFirst bool // see [words.Options.Header]
	everyFrame bool // see [words.Options.Addresses]

	least float64 // see [words.Options.Least]; 0 where the profile's view has a bound
	calls int     // number of calls in trees that are omitted because of least
}

func newPrinter(w io.Writer, p *profile.Profile, o words.Options) *printer {
	return &printer{Printer: *words.NewPrinter(w, p, o), factsFirst: o.Header, everyFrame: o.Addresses}
}

// diffPrinter writes the report of a comparison.
type diffPrinter struct{ *words.DiffPrinter }

func newDiffPrinter(w io.Writer, c *words.Comparison, o words.Options) *diffPrinter {
	return &diffPrinter{words.NewDiffPrinter(w, c, o)}
}
