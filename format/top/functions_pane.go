package top

import (
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/words"
)

// The least width of the pane, in columns, for the times since the start and for the total
// share.
const (
	widthOfTimes  = 64
	widthOfTotals = 32
)

func (s *state) functionsPane(d *data, rows []*functionRow, width, height int) []line {
	l := &s.lists[functionsPane]
	names := l.headings([]string{"%SELF", "%TOTAL", "SELF", "TOTAL", "FUNCTION"})
	lines := []line{s.headingLine(functionsPane, functionCells(names, width), s.functionsNote(d), width)}
	at := slices.IndexFunc(rows, func(r *functionRow) bool { return r.number == s.function })
	first, last := l.rows(len(rows), at, height-1)
	for i, r := range rows[first:last] {
		lines = append(lines, s.functionLine(r, width, s.rowStyle(functionsPane, at == first+i)))
	}
	if len(rows) == 0 {
		lines = append(lines, text(words.Fit("  "+s.noFunction(), width), faint))
	}
	return lines
}

// functionCells formats the cells of a row, as many as fit.
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

// named returns a function's name with its file, or without if that does not fit.
func named(name, file string, room int, looks style) line {
	if file != "" {
		file = " (" + file + ")"
	}
	if words.Columns(words.Narrow(name, room-words.Columns(file)))+words.Columns(file) > room {
		file = ""
	}
	room = max(0, room-words.Columns(file))
	name = words.Fit(words.Narrow(name, room), room)
	second := faint
	if looks != plain {
		second = looks
	}
	return line{[]span{{name, looks}, {file, second}}, plain}
}

// functionsNote describes what the shares are of: measure, thread and window.
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

// noFunction returns the reason why the pane is empty.
func (s *state) noFunction() string {
	switch {
	case s.lists[functionsPane].filter.re != nil:
		return "nothing matches the filter (Esc takes it away)"
	case s.measure == allTime:
		return "no stack was seen"
	}
	return "no function used CPU time yet (w shows all time, that of waiting, too)"
}

// The width of thread names, in columns: at most longName, or shortName if the screen has
// fewer than narrow columns.
const (
	longName  = 20
	shortName = 10
	narrow    = 60
)
