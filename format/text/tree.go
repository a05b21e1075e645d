// Package text writes the reports for people: the tree, the summary, the report of a hang
// and the comparison of two reports.
package text

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// Tree writes the report for people: what was captured and how, each thread's
// frames from the outermost in, and the images in which they lie. Of many
// snapshots it writes the merged tree, and of a comparison the trees of both sides in one.
func Tree(w io.Writer, r *report.Report, o words.Options) error {
	switch {
	case r.Diff != nil:
		return diffTree(w, r.Diff, o)
	case r.Hang != nil:
		return hang(w, r, o)
	case r.Several:
		return group(w, &r.Group, o)
	}
	return tree(w, r.Profiles[0], o)
}

// tree writes the report on one process.
func tree(w io.Writer, p *profile.Profile, o words.Options) error {
	if p.Sampled() {
		return writeSampled(newPrinter(w, p, o))
	}
	return writeTree(newPrinter(w, p, o))
}

func writeTree(p *printer) error {
	p.header()
	for _, t := range p.Profile.Threads {
		if p.Total = 0; t.Together != nil {
			p.Total = t.Samples
		}
		p.thread(t)
	}
	p.images()
	p.end()
	p.unnamed()
	return p.Flush()
}

// end says how far the stacks can be trusted.
func (p *printer) end() {
	if p.Profile.Walks == 0 {
		return
	}
	p.Line("")
	p.Line("Walks that reached the bottom: %s of %s", words.Count(p.Profile.Bottoms), words.Count(p.Profile.Walks))
	if p.Guessed {
		p.Line(words.GuessMeans)
	}
	if p.FpOnly {
		p.Line(words.FpOnlyMeans)
	}
}
