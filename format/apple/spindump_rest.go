package apple

import (
	"slices"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// spinRest is the text that a report of spindump has about a process. When the
// profile is written as such a report, it is written again.
type spinRest struct {
	header  *spinHeaderRest
	facts   []string // about the process
	threads map[task.ThreadID][]string
	notes   []string // notes that were made from these lines
}

// spinHeaderRest has the lines before the first stacks.
type spinHeaderRest struct {
	lines []string
	bytes int
	ended bool
}

// maxSpinHeader is the maximum size of a header that is kept, in bytes.
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

// whole reports whether the kept lines are complete, so that the report is recognised
// by them.
func (r *spinHeaderRest) whole() bool {
	text := []byte(strings.Join(r.lines, "\n"))
	return r.bytes <= maxSpinHeader && isSpindump(text)
}

// spinRestOf returns the rest of the report that the profile was read from. It is nil
// for other profiles and for views.
func spinRestOf(p *profile.Profile) *spinRest {
	rest, _ := p.Report.(*spinRest)
	if p.View != nil {
		return nil
	}
	return rest
}

// oldHeader writes the header of the report that the profiles were read from. It
// reports false if there is none.
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
	if lines[len(lines)-1] == "" { // a blank line is written before the next part
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		s.Line("%s", notation.Printable(line))
	}
	return true
}

// oldFacts writes the report's original facts about a process. It reports false if
// there are none.
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

// newNotes returns the warnings about a profile that are not in the report's own
// lines.
func newNotes(p *profile.Profile) []string {
	rest := spinRestOf(p)
	if rest == nil {
		return notation.Doubts(p)
	}
	return slices.DeleteFunc(notation.Doubts(p), func(line string) bool {
		return slices.ContainsFunc(rest.notes, func(note string) bool { return notation.Plain(note) == line })
	})
}

// threadLines returns the lines that begin a thread, as in the report.
func (s *spinWriter) threadLines(p *profile.Profile, t *profile.Thread) []string {
	if rest := spinRestOf(p); rest != nil && len(rest.threads[t.ID]) > 0 {
		return rest.threads[t.ID]
	}
	return []string{s.threadLine(t)}
}
