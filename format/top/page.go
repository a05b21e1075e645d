package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"stacksnap/format/words"
)

// style is the appearance of text.
type style int

const (
	plain style = iota
	faint
	strong
	heading // headings of columns
	focused // headings of the focused pane
	chosen  // the selected row of the focused pane
	marked  // the selected row of another pane
	warning
	keyName
)

// span is a part of a line.
type span struct {
	text  string
	style style
}

// line is a line of a page, from the left. Columns to the right of the spans have the style
// fill.
type line struct {
	spans []span
	fill  style
}

func text(s string, of style) line { return line{[]span{{s, of}}, plain} }

// page returns the screen as height lines of at most width columns.
func (s *state) page(now *data, width, height int) []line {
	d := s.of(now)
	s.choose(d)
	if s.help {
		return fitted(helpPage(s.stops), height)
	}
	lines := append([]line{s.head(d, width)}, deadlockLine(d, width)...)
	lines = append(lines, tasksLine(d, width)...)
	room := max(0, height-len(lines)-1)
	lines = append(lines, fitted(s.body(d, width, room), room)...)
	lines = append(lines, s.foot(d, width))
	return fitted(lines, height)
}

// fitted returns exactly height lines.
func fitted(lines []line, height int) []line {
	for len(lines) < height {
		lines = append(lines, line{})
	}
	return lines[:height]
}

// The proportions of the screen: the threads have at most 1/threadsPart of the lines, and
// the stack at least 2/stackPart of the rest.
const (
	threadsPart  = 4
	leastThreads = 4 // least lines of the list of threads, headings included
	stackPart    = 5 // 2/5 of the lines
	leastStack   = 3
)

// body returns the panes in that many lines.
func (s *state) body(d *data, width, height int) []line {
	if s.zoomed {
		return s.pane(s.focus, d, s.functionRows(d), width, height)
	}
	rows := s.functionRows(d)
	sizes := sizesOf(height, len(rows), len(s.threadRows(d)))
	if sizes == nil { // too small for three panes
		return s.pane(s.focus, d, rows, width, height)
	}
	var lines []line
	for p, n := range sizes {
		lines = append(lines, fitted(s.pane(pane(p), d, rows, width, n), n)...)
	}
	return lines
}

// sizesOf returns the number of lines of each pane; nil if there are too few lines for all.
// The stack gets what the others do not need.
func sizesOf(height, functions, threads int) []int {
	t := min(threads+1, max(leastThreads, height/threadsPart))
	f := min(max(1, functions)+1, height-t-max(leastStack, (height-t)*2/stackPart))
	if f < 2 || height-t-f < leastStack {
		return nil
	}
	return []int{f, t, height - t - f}
}

func (s *state) pane(p pane, d *data, rows []*functionRow, width, height int) []line {
	if p == s.focus {
		s.height = max(1, height-1)
	}
	switch p {
	case functionsPane:
		return s.functionsPane(d, rows, width, height)
	case threadsPane:
		return s.threadsPane(d, width, height)
	}
	return s.stackPane(d, width, height)
}

// head returns the first line: the process and the sampling.
func (s *state) head(d *data, width int) line {
	facts := []string{fmt.Sprintf("%s [%d]", words.Printable(d.target.Name), d.target.PID)}
	if w := d.window(windows[s.window]); w.elapsed > 0 {
		facts = append(facts, fmt.Sprintf("CPU %.0f%%", percent(sum(w.cpu()), w.elapsed)))
	}
	facts = append(facts, plural(len(d.threads), "thread"), clock(d.Elapsed), plural(d.Samples, "sample"))
	if d.Elapsed > 0 {
		facts = append(facts, fmt.Sprintf("stopped %.2g%%", percent(d.Stopped, d.Elapsed)))
	}
	if d.Missed > 0 {
		facts = append(facts, fmt.Sprintf("%d missed", d.Missed))
	}
	mark := ""
	switch {
	case s.ended != "":
		mark = " ENDED "
	case s.frozen != nil:
		mark = " FROZEN "
	}
	left := joined(facts, width-len(mark))
	gap := strings.Repeat(" ", max(0, width-len(mark)-words.Columns(left)))
	return line{[]span{{left, strong}, {gap, plain}, {mark, warning}}, plain}
}

// joined joins as many facts as fit, at least the first.
func joined(facts []string, room int) string {
	for len(facts) > 1 && words.Columns(strings.Join(facts, "  ")) > room {
		facts = facts[:len(facts)-1]
	}
	return words.Fit(strings.Join(facts, "  "), max(0, room))
}

func sum(all map[*thread]time.Duration) (total time.Duration) {
	for _, d := range all {
		total += d
	}
	return total
}

func percent(part, of time.Duration) float64 { return 100 * float64(part) / float64(of) }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// clock formats a duration, with hundredths of a second if it is short.
func clock(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// foot returns the last line: what the user has to know about the sampling, then the
// prompt, the last message, or the keys.
func (s *state) foot(d *data, width int) line {
	switch {
	case s.prompt != nil:
		return s.prompt.line(width)
	case s.message != "":
		return text(words.Fit(s.message, width), strong)
	}
	var l line
	if news := cmp.Or(s.ended, s.slowed(d)); news != "" {
		l.spans = append(l.spans, span{words.Fit(news, max(0, width-len("  q quit"))) + "  ", warning})
	}
	left := width - l.width()
	for _, k := range footKeys {
		if s.ended != "" && k[0] == "f" {
			continue
		}
		if left -= len(k[0]) + len(k[1]) + 3; left < -2 {
			break
		}
		l.spans = append(l.spans, span{k[0], keyName}, span{" " + k[1] + "  ", plain})
	}
	return l
}

// slowed returns a phrase if fewer samples are taken than requested, else "".
func (s *state) slowed(d *data) string {
	if d.Every <= 1 || d.interval <= 0 {
		return ""
	}
	rate := 1 / (d.interval.Seconds() * float64(d.Every))
	return fmt.Sprintf("slowed to %.2g samples/s: stops took over %.2g%%", rate, 100*s.maxStopped)
}

func (l line) width() (n int) {
	for _, s := range l.spans {
		n += words.Columns(s.text)
	}
	return n
}

// enterHint precedes the file name that Enter alone selects.
const enterHint = "  Enter: "

// line returns the prompt with a cursor. It shows the end of a text that is too long. While
// nothing is typed, it shows what Enter alone does.
func (p *prompt) line(width int) line {
	shown := words.Printable(p.text)
	err, hint := "", ""
	switch {
	case p.err != "":
		err = "  (" + p.err + ")"
	case p.text == "" && p.name != "" && len(p.title+enterHint+p.name) < width:
		hint = enterHint + p.name
	}
	room := max(1, width-len(p.title)-len(err)-1)
	shown = end(shown, room)
	return line{[]span{{p.title, strong}, {shown, plain}, {" ", chosen}, {hint, faint}, {err, warning}}, plain}
}

// end returns the longest suffix of a text that fits.
func end(text string, width int) string {
	for at := len(text); at > 0; {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		if width -= words.Columns(string(r)); width < 0 {
			return text[at:]
		}
		at -= n
	}
	return text
}

// rows returns the range of visible rows, and scrolls so that it contains the selected one.
func (l *list) rows(n, at, height int) (first, last int) {
	if at >= 0 {
		l.offset = min(max(l.offset, at-height+1), at)
	}
	l.offset = max(0, min(l.offset, n-height))
	return l.offset, min(n, l.offset+max(0, height))
}

// rowStyle returns the style of a row.
func (s *state) rowStyle(of pane, isChosen bool) style {
	switch {
	case isChosen && s.focus == of:
		return chosen
	case isChosen:
		return marked
	}
	return plain
}

// headings returns the names of columns, with an arrow at the one that sorts the rows.
func (l *list) headings(names []string) []string {
	names = slices.Clone(names)
	if l.column < len(names) {
		mark := "↓"
		if l.reversed {
			mark = "↑"
		}
		names[l.column] += mark
	}
	return names
}

// clipped returns the longest prefix of a text that fits.
func clipped(text string, width int) string {
	left := width
	for i, r := range text {
		if left -= words.Columns(string(r)); left < 0 {
			return text[:i]
		}
	}
	return text
}

// headingLine returns the headings of a pane, with a note at the right end if it fits.
func (s *state) headingLine(of pane, columns string, note string, width int) line {
	const leastNote = 8
	left := clipped(columns, width)
	room := width - words.Columns(left) - 2
	if room < leastNote {
		note = ""
	}
	note = clipped(note, room)
	gap := strings.Repeat(" ", max(0, width-words.Columns(left)-words.Columns(note)))
	looks := heading
	if s.focus == of {
		looks = focused
	}
	return line{[]span{{left, looks}, {gap, looks}, {note, looks}}, looks}
}
