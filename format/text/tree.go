// Package text writes reports for people: the tree, the summary, and the reports of a hang
// and of a comparison.
package text

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// Tree writes the full report for people: what is wrong, the frames of each thread from the
// outermost inwards, the images that contain them, and the facts on the process and the
// capture. For many snapshots it writes merged trees, and for a comparison the merged trees
// of both sides.
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
	if p = inOrder(o.Folded(p)); p.Sampled() {
		return writeSampled(newPrinter(w, p, o), &o)
	}
	return writeTree(newPrinter(w, p, o), func(p *printer, h *headline.Headline) { p.firstStacks(&o, h) })
}

// treeInGroup writes the report on one of several processes. It has no first stack,
// because readers begin with the headline of all processes.
func treeInGroup(w io.Writer, p *profile.Profile, o words.Options) error {
	if p.Sampled() {
		return tree(w, p, o)
	}
	return writeTree(newPrinter(w, inOrder(o.Folded(p)), o), func(*printer, *headline.Headline) {})
}

func writeTree(p *printer, stacks func(*printer, *headline.Headline)) error {
	p.header(stacks)
	for _, t := range p.Profile.Threads {
		if p.Total = 0; t.Together != nil {
			p.Total = t.Samples
		}
		p.thread(t)
	}
	p.rest()
	return p.Flush()
}

// rest writes the parts below the stacks.
func (p *printer) rest() {
	p.tasks()
	last := p.imagesLast()
	if !last {
		p.imagesOf()
	}
	p.facts()
	p.end()
	p.unnamed()
	if last {
		p.oddImages()
	}
}

// imagesLast reports whether the list of images comes after the facts. That is so in
// one snapshot on a terminal, so that the first screen has the facts.
func (p *printer) imagesLast() bool {
	return p.Width > 0 && !p.Profile.Sampled() && !p.factsFirst && !p.everyFrame
}

// imagesOf lists all images if the stacks have addresses, else only images with
// problems.
func (p *printer) imagesOf() {
	if p.Places {
		p.images()
	} else {
		p.oddImages()
	}
}

// end writes how reliable the stacks are.
func (p *printer) end() {
	if p.Profile.Walks == 0 {
		return
	}
	p.Line("")
	p.Line("Walks that reached the bottom: %s of %s", words.Count(p.Profile.Bottoms), words.Count(p.Profile.Walks))
	if p.Guessed {
		p.Text("", 2, words.GuessMeans)
	}
	if p.FpOnly {
		p.Text("", 2, words.FpOnlyMeans)
	}
}
