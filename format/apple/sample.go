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

// Sample writes the report of sample(1), version 7. What that has no line for is left
// out, but for what is to be doubted: notes stand in the header, and a stack that was
// cut begins with a line that says so. Of one snapshot every count is 1. The reports on
// several processes have a line between them.
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
	seen    map[place]int // lines of the call graph that have a place
	tops    map[place]int // samples in which it was innermost
}

// glyphs lead from a line down to its next sibling, one after the other by how many
// of the lines above it have siblings.
var glyphs = [...]string{"+ ", "! ", ": ", "| "}

// graph writes the call graph, with four blanks before all.
func (s *sampleWriter) graph() {
	threads := slices.Clone(s.profile.Threads)
	slices.SortStableFunc(threads, beforeThread)
	for i, t := range threads {
		s.Line("    %d %s", t.Samples, threadLine(s.profile, t))
		indent := "    " + tail(i < len(threads)-1, 0)
		s.branches(grow(t).roots, indent, min(len(threads)-1, 1))
	}
}

// branches writes siblings, and what is below them. Forks counts the callers that
// have siblings.
func (s *sampleWriter) branches(siblings []*branch, indent string, forks int) {
	below := forks + min(len(siblings)-1, 1)
	for i, b := range siblings {
		_, _ = s.WriteString(indent) // the buffer keeps the error for Flush
		s.Line("%d %s", b.count, b.text())
		s.count(b)
		s.branches(b.children, indent+tail(i < len(siblings)-1, forks), below)
	}
}

// tail is what leads on below a line.
func tail(siblings bool, forks int) string {
	if !siblings {
		return "  "
	}
	return glyphs[forks%len(glyphs)]
}

// count adds a line to the tables behind the call graph.
func (s *sampleWriter) count(b *branch) {
	if b.pc == 0 && b.image == nil && b.function != "" {
		return // it is no place
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

// beforeThread is the order of threads: the main thread, and then by samples and id.
func beforeThread(a, b *profile.Thread) int {
	main := func(t *profile.Thread) int {
		if t.Main {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(main(a), main(b)), cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.ID, b.ID))
}
