package top

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// functionRow is a row of the functions pane.
type functionRow struct {
	number int32
	function
	now   [2]float64       // shares of the window: self and total
	since [2]time.Duration // times since the start: self and total
}

// functionRows returns the rows that the filter passes, in order.
func (s *state) functionRows(d *data) []*functionRow {
	w, of := d.window(windows[s.window]), s.threadOnly(d)
	now, since, whole := w.counts(of), d.since, w.whole(of)
	if of != nil {
		since = d.own[of]
	}
	var rows []*functionRow
	for fn, n := range both(now, since) {
		row := &functionRow{number: fn, function: d.functions[fn]}
		row.now[0], row.now[1] = share(n[0].self, whole, s.measure), share(n[0].total, whole, s.measure)
		row.since[0], row.since[1] = d.time(n[1].self, s.measure), d.time(n[1].total, s.measure)
		seen := row.now[1] > 0 || row.since[1] > 0
		if seen && s.lists[functionsPane].filter.takes(row.name, row.file) {
			rows = append(rows, row)
		}
	}
	s.lists[functionsPane].sort(rows)
	return rows
}

// threadOnly returns the thread that the functions pane is restricted to; nil if it shows
// all.
func (s *state) threadOnly(d *data) *thread {
	if t, ok := s.chosen(d); ok && s.only {
		return t.key
	}
	return nil
}

// both combines the tallies of each function in the window and since the start.
func both(now, since tallies) map[int32][2]tally {
	all := make(map[int32][2]tally, len(since))
	for fn, n := range since {
		all[fn] = [2]tally{now[fn], n}
	}
	for fn, n := range now {
		all[fn] = [2]tally{n, since[fn]}
	}
	return all
}

// sort sorts the rows by the selected column, then by time, then by name.
func (l *list) sort(rows []*functionRow) {
	slices.SortFunc(rows, func(a, b *functionRow) int {
		order := l.compare(a, b)
		if l.reversed {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(b.now[1], a.now[1]), cmp.Compare(b.since[1], a.since[1]), cmp.Compare(a.name, b.name), cmp.Compare(a.number, b.number))
	})
}

func (l *list) compare(a, b *functionRow) int {
	switch l.column {
	case bySelf:
		return cmp.Or(cmp.Compare(b.now[0], a.now[0]), cmp.Compare(b.since[0], a.since[0]))
	case byTotal:
		return cmp.Compare(b.now[1], a.now[1])
	case bySelfTime:
		return cmp.Compare(b.since[0], a.since[0])
	case byTotalTime:
		return cmp.Compare(b.since[1], a.since[1])
	}
	return cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
}
