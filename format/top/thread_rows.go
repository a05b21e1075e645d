package top

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stacksnap/format/words"
	"stacksnap/task"
)

// threadRow is a row of the threads pane: a thread, or several that are alike.
type threadRow struct {
	seen                   // the thread, or the first of them
	others []task.ThreadID // ids of the other threads
	cpu    float64         // CPUs used in the window: 1 is one CPU all the time
	where  string          // the thread's wait, or the function that it is in
}

// threadRows returns the rows that the filter passes, in order.
func (s *state) threadRows(d *data) []*threadRow {
	w := d.window(windows[s.window])
	cpu := w.cpu()
	var rows []*threadRow
	l := &s.lists[threadsPane]
	for _, t := range d.threads {
		row := &threadRow{seen: t, cpu: float64(cpu[t.key]) / float64(max(1, w.elapsed)), where: d.where(&t, t.wait)}
		if l.filter.takes(t.label, t.name, t.runs, t.state.String(), row.where) {
			rows = append(rows, row)
		}
	}
	if !s.single {
		rows = d.merged(rows)
	}
	slices.SortStableFunc(rows, func(a, b *threadRow) int {
		order := l.compareThreads(a, b)
		if l.reversed {
			order = -order
		}
		return cmp.Or(order, a.compareAlike(b))
	})
	return rows
}

// leastAlike is the number of alike threads from which they share a row, as in
// reports.
const leastAlike = 4

// likeness is equal for threads that are alike: they wait for the same thing in the
// same functions. As in reports, the objects of their calls, such as files, may
// differ.
type likeness struct {
	state       task.State
	wait, stack string
}

// merged merges the rows of alike threads. The main thread and running threads have
// rows of their own.
func (d *data) merged(rows []*threadRow) []*threadRow {
	like := func(r *threadRow) likeness { return likeness{r.state, r.alike, r.stack.likeness} }
	number := map[likeness]int{}
	for i := range rows {
		number[like(rows[i])]++
	}
	var all []*threadRow
	first := map[likeness]int{} // the index in all
	for _, r := range rows {
		key := like(r)
		if r.main || r.state == task.Running || number[key] < leastAlike {
			all = append(all, r)
			continue
		}
		i, ok := first[key]
		if !ok {
			first[key] = len(all)
			all = append(all, r)
			continue
		}
		all[i].absorb(d, r)
	}
	return all
}

// absorb adds another thread to a row.
func (r *threadRow) absorb(d *data, other *threadRow) {
	r.others = append(r.others, other.id)
	r.cpu += other.cpu
	if r.where != other.where {
		r.where = d.where(&r.seen, r.alike)
	}
	r.runs = ""
	if r.name != other.name {
		r.name = "(several)"
	}
}

// called is what the column of names shows of a row.
func (r *threadRow) called() string { return strings.TrimSpace(r.name + " " + r.runs) }

// title is what the column of ids shows of a row.
func (r *threadRow) title() string {
	if len(r.others) == 0 {
		return r.label
	}
	return words.Count(1+len(r.others)) + " alike"
}

// has reports whether a thread is in the row.
func (r *threadRow) has(id task.ThreadID) bool { return r.id == id || slices.Contains(r.others, id) }

// rowOf returns the index of the row that has a thread, -1 if none has.
func rowOf(rows []*threadRow, id task.ThreadID) int {
	return slices.IndexFunc(rows, func(r *threadRow) bool { return r.has(id) })
}

// where returns the words for a thread's wait or, if wait is empty, the name of its
// function.
func (d *data) where(t *seen, wait string) string {
	switch {
	case wait != "":
		return wait + t.stack.caller
	case len(t.stack.functions) == 0:
		return ""
	}
	return "in " + d.functions[t.stack.functions[0]].name + t.stack.caller
}

// tenths returns the row's CPU time as shown, in tenths of a percent. Rows that show
// the same value keep their order.
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
