package top

import (
	"cmp"
	"math"
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
func (s *state) functionRows(d *data) []functionRow {
	w, of := d.window(windows[s.window]), s.threadOnly(d)
	now, since := w.counts(of), d.since
	if of != nil {
		since = d.own[of]
	}
	var rows []functionRow
	for fn, n := range both(now, since) {
		row := functionRow{number: fn, function: d.functions[fn]}
		row.now[0], row.now[1] = w.share(n[0].self, s.measure), w.share(n[0].total, s.measure)
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
func (l *list) sort(rows []functionRow) {
	slices.SortFunc(rows, func(a, b functionRow) int {
		order := l.compare(&a, &b)
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

// threadRow is a row of the threads pane.
type threadRow struct {
	seen
	cpu   float64 // processors used in the window: 1 is one all the time
	where string  // the thread's wait, or the function that it is in
}

// threadRows returns the rows that the filter passes, in order.
func (s *state) threadRows(d *data) []threadRow {
	w := d.window(windows[s.window])
	cpu := w.cpu()
	var rows []threadRow
	l := &s.lists[threadsPane]
	for _, t := range d.threads {
		row := threadRow{seen: t, cpu: float64(cpu[t.key]) / float64(max(1, w.elapsed)), where: d.where(&t)}
		if l.filter.takes(t.label, t.name, t.state.String(), row.where) {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b threadRow) int {
		order := l.compareThreads(&a, &b)
		if l.reversed {
			order = -order
		}
		return cmp.Or(order, a.compareAlike(&b))
	})
	return rows
}

// tenths is the row's CPU time as it is shown, in tenths of a percent. Rows that show the same
// keep their order.
func (r *threadRow) tenths() int { return int(math.Round(1000 * r.cpu)) }

// compareAlike compares threads that are equal in the column that sorts them: the main thread
// comes first.
func (r *threadRow) compareAlike(other *threadRow) int {
	switch {
	case r.main != other.main && r.main:
		return -1
	case r.main != other.main:
		return 1
	}
	return cmp.Compare(r.id, other.id)
}

// where describes a thread's wait, or else names its function.
func (d *data) where(t *seen) string {
	switch {
	case t.wait != "":
		return t.wait + t.stack.caller
	case len(t.stack.functions) == 0:
		return ""
	}
	return "in " + d.functions[t.stack.functions[0]].name + t.stack.caller
}

func (l *list) compareThreads(a, b *threadRow) int {
	switch l.column {
	case byName:
		return cmp.Compare(a.name, b.name)
	case byCPU:
		return cmp.Compare(b.tenths(), a.tenths())
	case byState:
		return cmp.Compare(a.state, b.state)
	case byWhere:
		return cmp.Compare(a.where, b.where)
	}
	return cmp.Compare(a.id, b.id)
}
