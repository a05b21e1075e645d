package apple

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// Sample writes a report like sample(1), version 7. It omits what the report has no
// line for, except for warnings: notes are in the header, and a cut stack begins with
// a line that says so. In one snapshot every count is 1. A line separates the reports
// on several processes.
func Sample(w io.Writer, r *report.Report, _ words.Options) error {
	for i, p := range r.Profiles {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := writeSample(w, p); err != nil {
			return err
		}
	}
	return nil
}

func writeSample(w io.Writer, p *profile.Profile) error {
	s := &sampleWriter{Writer: notation.NewWriter(w, sampleColumn), profile: p, seen: map[place]int{}, tops: map[place]int{}}
	s.header()
	s.Line("Call graph:")
	s.graph()
	s.Line("")
	s.totals()
	s.Line("")
	s.top()
	s.images()
	return s.Flush()
}

// sampleWriter writes one report.
type sampleWriter struct {
	notation.Writer
	profile *profile.Profile
	seen    map[place]int // number of call graph lines for a place
	tops    map[place]int // samples in which a place was innermost
}

// glyphs are drawn from a line down to its next sibling. Which one is drawn depends
// on how many lines above have siblings.
var glyphs = [...]string{"+ ", "! ", ": ", "| "}

// graph writes the call graph, indented by four blanks.
func (s *sampleWriter) graph() {
	threads := slices.Clone(s.profile.Threads)
	slices.SortStableFunc(threads, beforeThread)
	for i, t := range threads {
		s.Line("    %d %s", t.Samples, threadLine(s.profile, t))
		indent := "    " + tail(i < len(threads)-1, 0)
		s.branches(grow(t).roots, indent, min(len(threads)-1, 1))
	}
}

// branches writes siblings and all that is below them. forks is the number of callers
// that have siblings.
func (s *sampleWriter) branches(siblings []*branch, indent string, forks int) {
	below := forks + min(len(siblings)-1, 1)
	for i, b := range siblings {
		_, _ = s.WriteString(indent) // the buffer keeps the error for Flush
		s.Line("%d %s", b.count, b.text())
		s.count(b)
		s.branches(b.children, indent+tail(i < len(siblings)-1, forks), below)
	}
}

// tail returns the part of the indent that connects a line with its next sibling.
func tail(siblings bool, forks int) string {
	if !siblings {
		return "  "
	}
	return glyphs[forks%len(glyphs)]
}

// count adds a line to the tables after the call graph.
func (s *sampleWriter) count(b *branch) {
	if b.pc == 0 && b.image == nil && b.function != "" {
		return // a text, not a place
	}
	s.seen[b.place]++
	self := b.count
	for _, c := range b.children {
		self -= c.count
	}
	if self <= 0 {
		return
	}
	top := b.place
	if top.function != "" {
		top = place{function: top.function, image: top.image, inlined: top.inlined, kernel: top.kernel, guess: top.guess}
	}
	s.tops[top] += self
}

// beforeThread compares threads: the main thread comes first, then more samples, then
// the lower id.
func beforeThread(a, b *profile.Thread) int {
	main := func(t *profile.Thread) int {
		if t.Main {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(main(a), main(b)), cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.ID, b.ID))
}
