package apple

import (
	"slices"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// spinRest is what a report of spindump has of a process, as it is written there. Its writer
// gives it back.
type spinRest struct {
	header  *spinHeaderRest
	facts   []string // of the process
	threads map[task.ThreadID][]string
	notes   []string // that were made of lines of these
}

// spinHeaderRest are the lines before the first stacks.
type spinHeaderRest struct {
	lines []string
	bytes int
	ended bool
}

// maxSpinHeader bounds the lines of the header that are kept; longer ones are no header.
const maxSpinHeader = notation.HeadSize

// read keeps a line of the header.
func (r *spinHeaderRest) read(line string) {
	if r.ended = r.ended || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "Heaviest stack") || strings.HasPrefix(line, "  "); r.ended {
		return
	}
	if r.bytes += len(line) + 1; r.bytes <= maxSpinHeader {
		r.lines = append(r.lines, line)
	}
}

// whole reports whether the lines tell what a report is known by.
func (r *spinHeaderRest) whole() bool {
	text := []byte(strings.Join(r.lines, "\n"))
	return r.bytes <= maxSpinHeader && isSpindump(text)
}

// spinRestOf is what the report has that a profile is of; nil: it is of none, or a view.
func spinRestOf(p *profile.Profile) *spinRest {
	rest, _ := p.Report.(*spinRest)
	if p.View != nil {
		return nil
	}
	return rest
}

// oldHeader writes the header of the report that all profiles are of, and reports whether
// there is one.
func (s *spinWriter) oldHeader(all []*profile.Profile) bool {
	rest, _ := all[0].Report.(*spinRest)
	if rest == nil || !rest.header.whole() {
		return false
	}
	for _, p := range all {
		if of, _ := p.Report.(*spinRest); of == nil || of.header != rest.header {
			return false
		}
	}
	lines := rest.header.lines
	if lines[len(lines)-1] == "" { // it is written before what follows
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		s.Line("%s", notation.Printable(line))
	}
	return true
}

// oldFacts writes what the report told of a process, and reports whether there is any.
func (s *spinWriter) oldFacts(p *profile.Profile) bool {
	rest := spinRestOf(p)
	if rest == nil || len(rest.facts) == 0 {
		return false
	}
	for _, line := range rest.facts {
		s.Line("%s", notation.Printable(line))
	}
	return true
}

// newNotes are the doubts of a profile that are not in lines of the report.
func newNotes(p *profile.Profile) []string {
	rest := spinRestOf(p)
	if rest == nil {
		return notation.Doubts(p)
	}
	return slices.DeleteFunc(notation.Doubts(p), func(line string) bool {
		return slices.ContainsFunc(rest.notes, func(note string) bool { return notation.Plain(note) == line })
	})
}

// threadLines are the lines that begin a thread, as the report has them.
func (s *spinWriter) threadLines(p *profile.Profile, t *profile.Thread) []string {
	if rest := spinRestOf(p); rest != nil && len(rest.threads[t.ID]) > 0 {
		return rest.threads[t.ID]
	}
	return []string{s.threadLine(t)}
}
