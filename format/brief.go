package format

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/profile"
)

// briefLines are the most of a summary, so that it fits into a message.
const briefLines = 20

// Brief writes a summary of twenty lines at most, none longer than a hundred columns,
// without colours: what is wrong, who waits for whom, the stacks that matter with how
// often each is there, and how sure that is.
func Brief(o Options) Writer {
	return func(w io.Writer, p *profile.Profile) error {
		b := newBrief(p, o)
		b.headline()
		b.body(briefLines)
		return b.writeTo(w)
	}
}

// brief is a summary while it is made.
type brief struct {
	stackLine
	ascii bool
	lines []string

	untitled bool // what runs and what waits has no line above it
}

func newBrief(p *profile.Profile, o Options) *brief {
	width := briefColumns
	if o.Width > 0 {
		width = min(o.Width, briefColumns)
	}
	return &brief{stackLine: newStackLine(p, width), ascii: o.ASCII}
}

// writeTo writes what there is at once.
func (b *brief) writeTo(w io.Writer) error {
	var text bytes.Buffer
	for i, line := range b.lines {
		if i < briefLines {
			text.WriteString(strings.TrimRight(b.clipped(line), " ") + "\n")
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// clipped is a line that fits.
func (b *brief) clipped(line string) string {
	if !b.ascii {
		return clip(line, b.width)
	}
	if line = InASCII(line); len(line) > b.width {
		line = ended("", line[:b.width-len(plainer['…'])-1]) + plainer['…']
	}
	return line
}

// clip cuts a text to so many columns, and marks that.
func clip(text string, width int) string {
	if Columns(text) <= width {
		return text
	}
	return broken("", text, width)
}

// broken is the begin of a text, with a mark that it breaks off and, where it does so in
// quotation marks, the end of these. They may begin in the text that stands before.
func broken(before, text string, width int) string {
	for room := width - 1; ; room-- {
		if begin := ended(before, firstColumns(text, room)); Columns(begin) < width || room <= 0 {
			return begin + "…"
		}
	}
}

// firstColumns is as much of a text as fits into so many columns.
func firstColumns(text string, room int) string {
	for i, r := range text {
		if room -= runeColumns(r); room < 0 {
			return text[:i]
		}
	}
	return text
}

// ended ends the quotation marks that are open where a text breaks off. A backslash alone,
// which would escape them, is left out.
func ended(before, text string) string {
	open, escape := false, false
	for _, c := range before + text {
		switch {
		case escape:
			escape = false
		case c == '\\':
			escape = true
		case c == '"':
			open = !open
		}
	}
	if escape {
		text = strings.TrimSuffix(text, `\`)
	}
	if open {
		text += `"`
	}
	return text
}

// goesOn begins the further lines of a text.
const goesOn = "| "

// add adds a text in so many lines at most.
func (b *brief) add(most, hang int, text string) {
	// Each line begins with a word of ours, which no shell takes for a command.
	lines := wrapped(text, b.width-len(goesOn), hang)
	for i := range lines[1:] {
		lines[i+1] = lines[i+1][:hang] + goesOn + lines[i+1][hang:]
	}
	if len(lines) > most {
		lines[most-1] = broken(strings.Join(lines[:most-1], " "), lines[most-1]+" ", b.width)
		lines = lines[:most]
	}
	b.lines = append(b.lines, lines...)
}

// headline says what is wrong, and of what that is said.
func (b *brief) headline() {
	whole := b.printer
	whole.profile = b.profile.Original()
	text := whole.summary()
	switch {
	case text != "":
		b.add(2, 2, text)
	case len(b.lines) == 0:
		b.add(1, 0, "no one thing stands out")
	}
	b.add(2, 2, b.subject())
	if text := chosen(b.profile); text != "" {
		b.add(2, 2, "Shown: "+text)
	}
}

// subject says which process it is, and what was captured when.
func (b *brief) subject() string {
	p := b.profile.Original()
	parts := []string{"Process: " + process(p.Target.Name, p.Target.PID), plural(p.NumThreads(), "thread")}
	switch {
	case p.Sampled():
		parts = append(parts, plural(p.Snapshots, "snapshot")+" in "+duration(p.Duration()))
	case p.Stopped > 0:
		parts = append(parts, "stopped for "+duration(p.Stopped))
	default:
		parts = append(parts, "one snapshot")
	}
	if at := moment(p.Start); at != "" {
		parts = append(parts, at)
	}
	return strings.Join(parts, ", ")
}

// body writes the rest, up to that line.
func (b *brief) body(most int) {
	b.circles(b.profile.Deadlocks)
	sure := b.sureness()
	b.stacks(most - len(b.lines) - len(sure))
	if b.guess && len(b.lines)+len(sure) < most {
		sure = append(sure, "  (guess): found by scanning the stack; it may not exist")
	}
	b.lines = append(b.lines, sure...)
}

// maxCircles is how many deadlocks have lines of their own.
const maxCircles = 2

// circles writes who waits for whom in a circle.
func (b *brief) circles(all []profile.Deadlock) {
	for i, d := range all {
		if i == maxCircles {
			b.add(1, 0, "Deadlock: "+count(len(all)-i)+" more")
			return
		}
		hang := 2
		if b.untitled {
			hang = 4
		}
		b.add(3, hang, "Deadlock: "+b.circle(d.Waiters)+b.stood(&all[i]))
	}
}

// sureness says how far all this can be trusted.
func (b *brief) sureness() []string {
	p := b.profile.Original()
	lines := b.sure(p)
	if p.Target.Translated {
		text := wrapped("Warning: "+translatedNote(p), b.width, 2)
		lines = append(lines, text[:min(len(text), 4)]...)
	}
	if n := len(p.Notes); n == 1 {
		lines = append(lines, "Note: "+clean(p.Notes[0], maxPath))
	} else if n > 1 {
		lines = append(lines, fmt.Sprintf("Note: %s, and %s", clean(p.Notes[0], maxPath), plural(n-1, "further note")))
	}
	return lines
}

// sure says how much of what was captured of processes is known, nothing where that is not
// told.
func (b *brief) sure(all ...*profile.Profile) []string {
	var walks, bottoms, missed, stacks int
	for _, p := range all {
		walks, bottoms = walks+p.Walks, bottoms+p.Bottoms
		missed, stacks = missed+p.MissedTicks, stacks+unstopped(p)
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
		parts = append(parts, plural(missed, "snapshot")+" missed")
	}
	if stacks > 0 {
		parts = append(parts, plural(stacks, "stack")+" read without a stop")
	}
	if len(parts) == 0 {
		return nil
	}
	return wrapped("Sure: "+strings.Join(parts, "; "), b.width, 2)
}

func walked(walks, bottoms int) string {
	text := fmt.Sprintf("%s of %s stacks were walked to the bottom", count(bottoms), count(walks))
	if bottoms < walks {
		text += ", the others lack callers"
	}
	return text
}
