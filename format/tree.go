package format

import (
	"io"

	"stacksnap/format/profile"
)

// Tree writes the report for people: what was captured and how, each thread's
// frames from the outermost in, and the images in which they lie. Of many
// snapshots it writes the merged tree, as [Heavy] does.
func Tree(o Options) Writer {
	return func(w io.Writer, p *profile.Profile) error {
		if p.Sampled() {
			return Heavy(o)(w, p)
		}
		return writeTree(newPrinter(w, p, o))
	}
}

func writeTree(p *printer) error {
	p.header()
	for _, t := range p.profile.Threads {
		if p.total = 0; t.Together != nil {
			p.total = t.Samples
		}
		p.thread(t)
	}
	p.images()
	p.end()
	p.unnamed()
	return p.Flush()
}

// What the marks of frames mean.
const (
	guessMeans  = "(guess): found by scanning the stack; it may not exist, and callers beside it may be missing"
	fpOnlyMeans = "(fp only): found by the frame pointer alone; a caller may be missing in between"
)

// end says how far the stacks can be trusted.
func (p *printer) end() {
	if p.profile.Walks == 0 {
		return
	}
	p.line("")
	p.line("Walks that reached the bottom: %s of %s", count(p.profile.Bottoms), count(p.profile.Walks))
	if p.guessed {
		p.line(guessMeans)
	}
	if p.fpOnly {
		p.line(fpOnlyMeans)
	}
}
