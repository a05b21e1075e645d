package top

import (
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/words"
	"stacksnap/task"
)

// From so many columns on there is room for the times since the start, and for the share
// with what is called.
const (
	widthOfTimes  = 64
	widthOfTotals = 32
)

func (s *state) functionsPane(d *data, rows []functionRow, width, height int) []line {
	l := &s.lists[functionsPane]
	names := l.headings([]string{"%SELF", "%TOTAL", "SELF", "TOTAL", "FUNCTION"})
	lines := []line{s.headingLine(functionsPane, functionCells(names, width), s.functionsNote(d), width)}
	at := slices.IndexFunc(rows, func(r functionRow) bool { return r.number == s.function })
	first, last := l.rows(len(rows), at, height-1)
	for i, r := range rows[first:last] {
		lines = append(lines, s.functionLine(&r, width, s.rowStyle(functionsPane, at == first+i)))
	}
	if len(rows) == 0 {
		lines = append(lines, text(words.Fit("  "+s.noFunction(), width), faint))
	}
	return lines
}

// functionCells are the cells of a row, as many as there is room for.
func functionCells(cells []string, width int) string {
	left := fmt.Sprintf("%7s ", cells[bySelf])
	if width >= widthOfTotals {
		left += fmt.Sprintf("%7s ", cells[byTotal])
	}
	if width >= widthOfTimes {
		left += fmt.Sprintf("%8s %8s ", cells[bySelfTime], cells[byTotalTime])
	}
	return left + " " + cells[byFunction]
}

func (s *state) functionLine(r *functionRow, width int, looks style) line {
	cells := []string{
		fmt.Sprintf("%.1f", 100*r.now[0]), fmt.Sprintf("%.1f", 100*r.now[1]), clock(r.since[0]), clock(r.since[1]), "",
	}
	left := functionCells(cells, width)
	l := named(r.name, r.file, width-len(left), looks)
	l.spans = append([]span{{left, looks}}, l.spans...)
	l.fill = looks
	return l
}

// named is a function's name with the file that it is in, as far as both fit.
func named(name, file string, room int, looks style) line {
	if file != "" {
		file = " (" + file + ")"
	}
	if words.Columns(name)+words.Columns(file) > room {
		file = ""
	}
	name = words.Fit(name, max(0, room-words.Columns(file)))
	second := faint
	if looks != plain {
		second = looks
	}
	return line{[]span{{name, looks}, {file, second}}, plain}
}

// functionsNote says of what the functions are.
func (s *state) functionsNote(d *data) string {
	measured := "CPU time"
	if s.measure == allTime {
		measured = "all time"
	}
	parts := []string{s.lists[functionsPane].filterNote() + measured}
	if t, ok := s.chosen(d); ok && s.only {
		parts = append(parts, "thread "+t.label)
	}
	w := d.window(windows[s.window])
	parts = append(parts, fmt.Sprintf("last %.2gs", min(w.elapsed, windows[s.window]).Seconds()))
	return strings.Join(parts, ", ")
}

func (l *list) filterNote() string {
	if l.filter.re == nil {
		return ""
	}
	return "/" + words.Printable(l.filter.text) + "  "
}

// noFunction says why there are none.
func (s *state) noFunction() string {
	switch {
	case s.lists[functionsPane].filter.re != nil:
		return "nothing matches the filter (Esc takes it away)"
	case s.measure == allTime:
		return "no stack was seen"
	}
	return "no CPU time was used yet (w shows all time, that of waiting, too)"
}

func (s *state) threadsPane(d *data, width, height int) []line {
	l := &s.lists[threadsPane]
	rows := s.threadRows(d)
	form := newThreadForm(rows, width)
	names := l.headings([]string{"THREAD", "NAME", "%CPU", "STATE", "WHERE"})
	lines := []line{s.headingLine(threadsPane, form.row(names), strings.TrimSpace(l.filterNote()), width)}
	at := slices.IndexFunc(rows, func(r threadRow) bool { return r.id == s.thread })
	first, last := l.rows(len(rows), at, height-1)
	for i, r := range rows[first:last] {
		cells := []string{r.label, r.name, fmt.Sprintf("%.1f", 100*r.cpu), known(r.state), r.where}
		looks := s.rowStyle(threadsPane, at == first+i)
		lines = append(lines, line{[]span{{form.row(cells), looks}}, looks})
	}
	return lines
}

// known is a state in a word, if it is known.
func known(s task.State) string {
	if s == task.StateUnknown {
		return ""
	}
	return s.String()
}

// threadForm is how wide the columns of threads are.
type threadForm struct{ id, name, state, width int }

// Columns of the threads' names, at most and where the screen is narrow.
const (
	longName  = 20
	shortName = 10
	narrow    = 60
)

func newThreadForm(rows []threadRow, width int) threadForm {
	f := threadForm{id: len("THREAD "), name: len("NAME "), state: len("STATE "), width: width}
	for _, r := range rows {
		f.id = max(f.id, words.Columns(r.label))
		f.name = max(f.name, words.Columns(r.name))
		f.state = max(f.state, len(known(r.state)))
	}
	most := longName
	if width < narrow {
		most = shortName
	}
	f.name = min(f.name, most)
	return f
}

// row puts cells in their columns.
func (f threadForm) row(cells []string) string {
	name := words.Fit(cells[byName], f.name)
	left := fmt.Sprintf("%*s  %s%*s %6s  %s  ", f.id, cells[byThread],
		name, f.name-words.Columns(name), "", cells[byCPU], padded(cells[byState], f.state))
	return clipped(left, f.width) + words.Fit(cells[byWhere], max(0, f.width-words.Columns(left)))
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-words.Columns(s)))
}

func (s *state) stackPane(d *data, width, height int) []line {
	st, title := s.shownStack(d)
	lines := []line{s.headingLine(stackPane, "  STACK  "+title, map[bool]string{true: "outermost first", false: ""}[s.outward], width)}
	frames := s.frameLines(d, st, width)
	if s.outward {
		slices.Reverse(frames)
	}
	room := max(0, height-1)
	s.scroll = min(s.scroll, max(0, len(frames)-room))
	first := s.scroll
	if s.outward { // the innermost frames are seen first, too
		first = max(0, len(frames)-room-s.scroll)
	}
	return append(lines, frames[first:min(len(frames), first+room)]...)
}

// shownStack is the stack that is shown, and whose that is.
func (s *state) shownStack(d *data) (*stack, string) {
	if s.through && s.function >= 0 && int(s.function) < len(d.functions) {
		w := d.window(windows[s.window])
		best, share := w.heaviest(s.function, s.threadOnly(d), s.measure)
		if best != nil {
			return best, fmt.Sprintf("heaviest with %s: %.1f%%", d.functions[s.function].name, 100*share)
		}
		return none, fmt.Sprintf("none with %s in this time", d.functions[s.function].name)
	}
	t, ok := s.chosen(d)
	if !ok {
		return none, ""
	}
	title := "thread " + t.label
	if t.name != "" {
		title += " " + t.name
	}
	if state := known(t.state); state != "" {
		title += ", " + state
	}
	if t.wait != "" {
		title += ", " + t.wait
	}
	return t.stack, title
}

// frameLines are the frames of a stack, the innermost first.
func (s *state) frameLines(d *data, st *stack, width int) []line {
	if len(st.frames) == 0 {
		return []line{text("  no frame is known", faint)}
	}
	var lines []line
	number := 0
	for i, f := range st.frames {
		if i == maxFrames/2 && st.left > 0 {
			lines = append(lines, text(fmt.Sprintf("      … %d frames", st.left), faint))
			number += st.left
		}
		fn := d.functions[f.function]
		looks := plain
		if f.function == s.function && s.through {
			looks = strong
		}
		left := fmt.Sprintf("%5d ", number)
		guess := ""
		if f.guess {
			guess = " (guess)"
		}
		l := named(fn.name, fn.file, max(0, width-len(left)-len(guess)), looks)
		l.spans = append(append([]span{{left, faint}}, l.spans...), span{guess, warning})
		lines = append(lines, l)
		number++
	}
	if st.cut != "" {
		lines = append(lines, text(words.Fit("      <stack cut here: "+st.cut+">", width), warning))
	}
	return lines
}
