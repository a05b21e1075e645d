package text

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// summaryLines is the maximum number of lines of a summary, so that it fits into a message.
const summaryLines = 20

// Summary writes a summary without colours, of at most 20 lines of 100 columns: the
// headline, deadlocks, the most important stacks with their frequency, and how reliable
// they are. For a comparison it writes the whole table of functions that changed most.
func Summary(w io.Writer, r *report.Report, o words.Options) error {
	switch {
	case r.Diff != nil:
		return diffTable(w, r.Diff, o)
	case r.Hang != nil:
		return hangSummary(w, r, o)
	case len(r.Profiles) != 1 || len(r.Missing) > 0 || r.More > 0:
		b := newSummary(words.AboutGroup(&r.Group), o)
		b.group(&r.Group)
		return b.writeTo(w)
	}
	b := newSummary(r.Profiles[0], o)
	b.headline()
	b.body(summaryLines)
	return b.writeTo(w)
}

// summary is a summary that is being written.
type summary struct {
	words.StackLine
	ascii bool
	lines []string

	wraps    bool            // a long wait has a second line: the report is read, not pasted into a shell
	untitled bool            // sections have no titles
	placed   []task.ThreadID // threads that are not listed again, because they are above or in the tables of deadlocks
}

func newSummary(p *profile.Profile, o words.Options) *summary {
	return &summary{StackLine: words.NewStackLine(p, o.Width), ascii: o.ASCII}
}

// writeTo writes all lines at once.
func (b *summary) writeTo(w io.Writer) error {
	var text bytes.Buffer
	for i, line := range b.lines {
		if i < summaryLines {
			text.WriteString(strings.TrimRight(b.clipped(line), " ") + "\n")
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// clipped shortens a line to the width.
func (b *summary) clipped(line string) string {
	if !b.ascii {
		return words.Clip(line, b.Width)
	}
	if line = words.InASCII(line); len(line) > b.Width {
		line = words.Ended("", line[:b.Width-len(words.Plainer['…'])-1]) + words.Plainer['…']
	}
	return line
}

// goesOn is the beginning of continuation lines.
const goesOn = "| "

// add adds a text in at most that many lines.
func (b *summary) add(most, hang int, text string) {
	b.lines = append(b.lines, b.wrapped(most, hang, text)...)
}

// wrapped returns a text in at most that many lines.
func (b *summary) wrapped(most, hang int, text string) []string {
	if words.Columns(text) <= b.Width {
		return []string{text}
	}
	// Each line begins with a word of this program, so that a shell that the text is
	// pasted into runs nothing from the target.
	lines := words.Wrapped(text, b.Width-len(goesOn), hang)
	for i := range lines[1:] {
		lines[i+1] = lines[i+1][:hang] + goesOn + lines[i+1][hang:]
	}
	if len(lines) > most {
		lines[most-1] = words.Broken(strings.Join(lines[:most-1], " "), lines[most-1]+" ", b.Width)
		lines = lines[:most]
	}
	return lines
}

// headline adds the headline and the process that it is about.
func (b *summary) headline() {
	whole := b.Printer
	whole.Profile = b.Profile.Original()
	text := whole.Headline()
	switch {
	case text != "":
		b.add(2, 2, text)
	case len(b.lines) == 0:
		b.add(1, 0, "no one thing stands out")
	}
	b.add(2, 2, b.subject())
	if text := words.Chosen(b.Profile); text != "" {
		b.add(2, 2, "Shown: "+text)
	}
}

// subject describes the process and the capture.
func (b *summary) subject() string {
	p := b.Profile.Original()
	parts := []string{"Process: " + words.ProcessName(p.Target.Name, p.Target.PID), words.Plural(p.NumThreads(), "thread")}
	switch {
	case p.Sampled():
		parts = append(parts, words.Plural(p.Snapshots, "snapshot")+" in "+words.Duration(p.Duration()))
	case p.Stopped > 0:
		parts = append(parts, "stopped for "+words.Duration(p.Stopped))
	default:
		parts = append(parts, "one snapshot")
	}
	if at := words.Moment(p.Start); at != "" {
		parts = append(parts, at)
	}
	return strings.Join(parts, ", ")
}

// body adds what follows the headline, until the summary has at most that number of lines.
func (b *summary) body(most int) {
	b.circles(b.Profile.Deadlocks, []*profile.Profile{b.Profile}, most)
	sure := b.sureness()
	b.stacks(most - len(b.lines) - len(sure))
	if b.Guess && len(b.lines)+len(sure) < most {
		sure = append(sure, "  (guess): found by scanning the stack; it may not exist")
	}
	b.lines = append(b.lines, sure...)
}

// The limits of the deadlocks in a summary.
const (
	maxCircles     = 2 // with lines of their own
	maxCircleLines = 7
	asciiRoom      = 8 // columns by which arrows and ellipses of a line in ASCII are wider
)

// circles adds the deadlocks of threads of the given processes, in at most most lines
// plus one for each deadlock.
func (b *summary) circles(all []profile.Deadlock, of []*profile.Profile, most int) {
	begin := len(b.lines)
	for i := range all {
		if i == maxCircles {
			b.add(1, 0, "Deadlock: "+words.Count(len(all)-i)+" more")
			return
		}
		table := b.DeadlockTable(&all[i], of...)
		hang := 2
		if b.untitled {
			hang = 4
		}
		b.add(2, hang, "Deadlock: "+table.Title)
		b.table(&table, min(most-(len(b.lines)-begin), maxCircleLines))
	}
}

// table adds the lines of a deadlock, for as many threads as there is room.
func (b *summary) table(t *words.DeadlockTable, room int) {
	indent := ""
	if b.untitled {
		indent = "  "
	}
	width := b.Width - len(indent)
	if b.ascii {
		width -= asciiRoom
	}
	for most := room; most > 0; most-- {
		lines := t.Lines(width, most, goesOn)
		if len(lines) > room {
			continue
		}
		for _, line := range lines {
			b.lines = append(b.lines, indent+line)
		}
		b.placed = append(b.placed, t.Places(most)...)
		return
	}
}

// sureness returns the lines on how reliable the summary is.
func (b *summary) sureness() []string {
	p := b.Profile.Original()
	lines := b.sure(p)
	if p.Target.Translated {
		text := words.Wrapped("Warning: "+words.TranslatedNote(p), b.Width, 2)
		lines = append(lines, text[:min(len(text), 4)]...)
	}
	notes := words.Notes(p)
	if n := len(notes); n == 1 {
		lines = append(lines, "Note: "+words.Clean(notes[0], words.MaxPath))
	} else if n > 1 {
		lines = append(lines, fmt.Sprintf("Note: %s, and %s", words.Clean(notes[0], words.MaxPath), words.Plural(n-1, "further note")))
	}
	return lines
}

// sure returns the line on the completeness of captures; none if that is unknown.
func (b *summary) sure(all ...*profile.Profile) []string {
	var walks, bottoms, missed, stacks int
	for _, p := range all {
		walks, bottoms = walks+p.Walks, bottoms+p.Bottoms
		missed, stacks = missed+p.MissedTicks, stacks+words.Unstopped(p)
	}
	var parts []string
	if walks > 0 {
		parts = append(parts, walked(walks, bottoms))
	}
	switch sampled := slices.ContainsFunc(all, (*profile.Profile).Sampled); {
	case sampled:
	case len(all) == 1:
		parts = append(parts, "one snapshot, of one moment")
	case len(all) > 1:
		parts = append(parts, "one snapshot of each")
	}
	if missed > 0 {
		parts = append(parts, words.Plural(missed, "snapshot")+" missed")
	}
	if stacks > 0 {
		parts = append(parts, words.Plural(stacks, "stack")+" read without a stop")
	}
	if len(parts) == 0 {
		return nil
	}
	return words.Wrapped("Sure: "+strings.Join(parts, "; "), b.Width, 2)
}

func walked(walks, bottoms int) string {
	text := fmt.Sprintf("%s of %s stacks were walked to the bottom", words.Count(bottoms), words.Count(walks))
	if bottoms < walks {
		text += ", the others lack callers"
	}
	return text
}
