package top

import (
	"fmt"
	"strings"

	"stacksnap/format/words"
	"stacksnap/task"
)

func (s *state) threadsPane(d *data, width, height int) []line {
	l := &s.lists[threadsPane]
	rows := s.threadRows(d)
	form := newThreadForm(rows, width)
	names := l.headings([]string{"THREAD", "NAME", "%CPU", "STATE", "WHERE"})
	lines := []line{s.headingLine(threadsPane, form.row(names), strings.TrimSpace(l.filterNote()), width)}
	at := rowOf(rows, s.thread)
	first, last := l.rows(len(rows), at, height-1)
	for i, r := range rows[first:last] {
		cells := []string{r.title(), r.called(), fmt.Sprintf("%.1f", 100*r.cpu), known(r.state), r.where}
		looks := s.rowStyle(threadsPane, at == first+i)
		lines = append(lines, line{[]span{{form.row(cells), looks}}, looks})
	}
	return lines
}

// known returns a state in a word; empty if it is unknown.
func known(s task.State) string {
	if s == task.StateUnknown {
		return ""
	}
	return s.String()
}

// threadForm has the widths of the threads pane's columns.
type threadForm struct{ id, name, state, width int }

func newThreadForm(rows []*threadRow, width int) threadForm {
	f := threadForm{id: len("THREAD "), name: len("NAME "), state: len("STATE "), width: width}
	for _, r := range rows {
		f.id = max(f.id, words.Columns(r.title()))
		f.name = max(f.name, words.Columns(r.called()))
		f.state = max(f.state, len(known(r.state)))
	}
	most := longName
	if width < narrow {
		most = shortName
	}
	f.name = min(f.name, most)
	return f
}

// row formats cells in their columns.
func (f threadForm) row(cells []string) string {
	name := words.Fit(cells[byName], f.name)
	left := fmt.Sprintf("%*s  %s%*s %6s  %s  ", f.id, cells[byThread],
		name, f.name-words.Columns(name), "", cells[byCPU], padded(cells[byState], f.state))
	return clipped(left, f.width) + words.Fit(cells[byWhere], max(0, f.width-words.Columns(left)))
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-words.Columns(s)))
}
