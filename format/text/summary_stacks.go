package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/format/words"
	"stacksnap/task"
)

// row is a stack of a summary, or several stacks with the same text.
type row struct {
	threads  []*profile.Thread // threads waiting there or, in one snapshot, running there
	samples  int               // number of samples running there, for many snapshots
	stack    string
	wait     string
	named    string // wait with the object of all threads; empty: it differs, or wait has it
	state    bool   // wait is the thread's state, because nothing more is known
	priority int
}

// The priorities of rows.
const (
	deadRow  = iota // row of a thread in a deadlock
	mainRow         // row of the main thread
	lockRow         // row of a thread that waits for another
	ownerRow        // row of a thread that others wait for
	otherRow
	parkedRow // row of a thread that may have nothing to do
)

// stacks adds the most important stacks in at most room lines.
func (b *summary) stacks(room int) {
	p := b.Profile
	running := b.running()
	waiting, idle := b.waiting()
	if n := len(running) + len(waiting); room == 1 && n > 1 {
		b.add(1, 0, "  … "+words.Plural(n, "more stack"))
		return
	}
	var last []string
	if line := idleLine(idle); line != "" {
		last = []string{line}
	}
	if total := samplesOf(running); total > 0 && (100*total >= p.Snapshots || len(waiting) == 0) {
		title := "Runs, innermost function first:"
		if p.Sampled() {
			title = fmt.Sprintf("Runs, innermost function first, in %s of all threads:", words.Plural(total, "sample"))
		}
		share := room - len(last)
		if len(waiting) > 0 {
			share = max(room*2/3-len(last), share-2*len(waiting)-1)
		}
		room -= b.section(title, running, max(share, min(room, 1)), total)
	}
	if len(waiting) > 0 {
		room -= b.section("Waits:", waiting, max(room-len(last), min(room, 1)), 0)
	}
	if room > 0 {
		b.lines = append(b.lines, last...)
	}
}

func samplesOf(rows []*row) (n int) {
	for _, r := range rows {
		n += r.samples
	}
	return n
}

// section adds a title and as many rows as fit into room lines, and the number of those
// left out. It returns the number of lines added.
func (b *summary) section(title string, rows []*row, room, total int) int {
	before := len(b.lines)
	if room < 1 {
		return 0
	}
	if !b.untitled && room > 1 {
		b.add(1, 0, title)
	}
	for i, r := range rows {
		lines := b.rowLines(r, total)
		left := room - (len(b.lines) - before)
		if rest := rows[i:]; len(lines) > left || len(rest) > 1 && len(lines) >= left {
			b.add(1, 0, "  … "+moreRows(rest, total))
			break
		}
		b.lines = append(b.lines, lines...)
	}
	return len(b.lines) - before
}

// moreRows describes the rows that are left out.
func moreRows(rows []*row, total int) string {
	text := words.Plural(len(rows), "more stack")
	if total > 0 {
		return text + ", " + percentOf(samplesOf(rows), total)
	}
	n := 0
	for _, r := range rows {
		n += weightOf(r.threads)
	}
	return text + " of " + words.Plural(n, "thread")
}

func percentOf(n, total int) string {
	if 100*n < total {
		return "<1 %"
	}
	return words.Percent(float64(n) / float64(total))
}

func weightOf(threads []*profile.Thread) (n int) {
	for _, t := range threads {
		n += t.Weight()
	}
	return n
}

// waitHang is the indent of the lines after the first line of a wait: its other
// lines, and the stack.
const waitHang = 6

// rowLines returns the lines of a row.
func (b *summary) rowLines(r *row, total int) []string {
	runs := ""
	if b.untitled {
		runs = " runs"
	}
	if total > 0 && b.Profile.Sampled() {
		return []string{fmt.Sprintf("  %6s%s: %s", percentOf(r.samples, total), runs, r.stack)}
	}
	who := b.who(r.threads)
	if r.wait == "" {
		return []string{"  " + who + runs + ": " + r.stack}
	}
	line := "  " + who + " waits " + r.wait
	switch {
	case r.state:
		line = "  " + strings.TrimSuffix(who, ",") + ", " + r.wait
	case weightOf(r.threads) > 1:
		line = "  " + who + " wait " + r.wait
	}
	if words.Columns(line)+2+words.Columns(r.stack) <= b.Width {
		return []string{line + ": " + r.stack}
	}
	waits := []string{b.clipped(line + ":")}
	if b.wraps {
		waits = b.wrapped(2, waitHang, line+":")
	}
	return append(waits, strings.Repeat(" ", waitHang)+goesOn+r.stack)
}

// who names the threads of a row.
func (b *summary) who(threads []*profile.Thread) string {
	t := threads[0]
	switch n := weightOf(threads); {
	case n > 1 && slices.ContainsFunc(threads, func(t *profile.Thread) bool { return t.Main }):
		return words.Plural(n, "thread") + ", the main one among them,"
	case n > 1:
		return words.Plural(n, "thread")
	case t.Together != nil:
		return words.Plural(len(t.Together.Threads), "thread")
	case t.Main:
		return "main thread"
	}
	return b.ThreadName(t.ID, t.Name)
}

// idleLine returns a line with the number of idle threads in each call.
func idleLine(idle map[string]int) string {
	if len(idle) == 0 {
		return ""
	}
	var calls []string
	n := 0
	for call, threads := range idle {
		calls = append(calls, call)
		n += threads
	}
	slices.SortFunc(calls, func(a, b string) int { return cmp.Or(cmp.Compare(idle[b], idle[a]), cmp.Compare(a, b)) })
	if len(calls) == 1 {
		return fmt.Sprintf("Idle: %s in %s", words.Plural(n, "thread"), calls[0])
	}
	parts := make([]string, len(calls))
	for i, call := range calls {
		parts[i] = words.Count(idle[call]) + " in " + call
	}
	return fmt.Sprintf("Idle: %s, %s", words.Plural(n, "thread"), strings.Join(parts, ", "))
}

// rows merges rows with the same text.
type rows struct {
	list  []*row
	index map[string]*row
}

func rowKey(stack, wait string) string { return stack + "\n" + wait }

func (rs *rows) of(stack, wait string) *row {
	key := rowKey(stack, wait)
	r := rs.index[key]
	if r == nil {
		if rs.index == nil {
			rs.index = map[string]*row{}
		}
		r = &row{stack: stack, wait: wait, priority: parkedRow}
		rs.index[key] = r
		rs.list = append(rs.list, r)
	}
	return r
}

// running returns the stacks of runnable threads, the most frequent first.
func (b *summary) running() []*row {
	var rs rows
	for _, t := range b.Profile.Threads {
		if !b.Profile.Sampled() {
			if t.State == task.Running && !slices.Contains(b.placed, t.ID) {
				r := rs.of(b.Stack(t.Heaviest()), "")
				r.threads, r.samples = append(r.threads, t), r.samples+t.Weight()
			}
			continue
		}
		var path []*profile.Node
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			if ran := ranIn(t, n); ran > 0 {
				rs.of(b.Stack(path), "").samples += ran * t.Weight()
			}
		}
	}
	slices.SortStableFunc(rs.list, func(a, b *row) int { return cmp.Compare(b.samples, a.samples) })
	return rs.list
}

// ranIn returns the number of samples of a node in which the thread was runnable. If the
// states of its samples are unknown, it counts all samples of a thread that was runnable in
// at least 9/10 of its own.
func ranIn(t *profile.Thread, n *profile.Node) int {
	switch {
	case n.Self == 0:
		return 0
	case n.States != nil:
		return n.States[task.Running]
	case t.States[task.Running]*10 >= t.Samples*9:
		return n.Self
	}
	return 0
}

// waiting returns the stacks of threads that wait for something in particular, and the
// number of idle threads by call.
func (b *summary) waiting() (_ []*row, idle map[string]int) {
	var rs rows
	owners := b.owners()
	idle = map[string]int{}
	for _, t := range b.Profile.Threads {
		if !b.waits(t) || slices.Contains(b.placed, t.ID) {
			continue
		}
		w := b.usualWait(t)
		if !t.Main && !owners[t.ID] && waits.ProvesParked(w, t.Heaviest()) {
			idle[words.CallName(w)] += t.Weight()
			continue
		}
		r := b.waitRow(&rs, t, w)
		r.threads = append(r.threads, t)
		r.priority = min(r.priority, b.priorityOf(t, w, owners))
	}
	rs.nameObjects()
	slices.SortStableFunc(rs.list, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(weightOf(b.threads), weightOf(a.threads)))
	})
	return rs.list, idle
}

// waitRow returns the row of a thread that waits. Threads that wait in the same call
// share a row even if their objects differ, such as descriptors. Only for the main
// thread does the object matter.
func (b *summary) waitRow(rs *rows, t *profile.Thread, w *profile.Wait) *row {
	stack := b.Stack(t.Heaviest())
	if w == nil {
		r := rs.of(stack, b.usualState(t))
		r.state = true
		return r
	}
	text, named := b.WaitOf(t, w), ""
	if !t.Main && w.Lock == profile.NoLock {
		inCall := *w
		inCall.Object = ""
		text, named = b.WaitOf(t, &inCall), text
	}
	r := rs.of(stack, text)
	if len(r.threads) == 0 {
		r.named = named
	} else if r.named != named {
		r.named = ""
	}
	return r
}

// nameObjects adds the object to the rows whose threads all wait for the same one.
func (rs *rows) nameObjects() {
	rs.list = slices.DeleteFunc(rs.list, func(r *row) bool {
		if r.named == "" {
			return false
		}
		main := rs.index[rowKey(r.stack, r.named)]
		if r.wait = r.named; main == nil || main == r {
			return false
		}
		main.threads = append(main.threads, r.threads...)
		main.priority = min(main.priority, r.priority)
		return true
	})
}

func (b *summary) priorityOf(t *profile.Thread, w *profile.Wait, owners map[task.ThreadID]bool) int {
	switch {
	case b.Profile.Deadlocked()[t.ID]:
		return deadRow
	case t.Main:
		return mainRow
	case w != nil && (w.Lock != profile.NoLock || w.WaitsForOther()):
		return lockRow
	case owners[t.ID]:
		return ownerRow
	case waits.IsParked(w):
		return parkedRow
	}
	return otherRow
}

// waits reports whether a thread waited; if it was sampled, in most of its samples.
func (b *summary) waits(t *profile.Thread) bool {
	if !b.Profile.Sampled() {
		return t.State != task.Running
	}
	return !t.MostlyRan()
}

// usualState returns the most frequent state of a thread other than running.
func (b *summary) usualState(t *profile.Thread) string {
	state, most := t.State, 0
	for s, n := range t.States {
		if n > most && task.State(s) != task.Running {
			state, most = task.State(s), n
		}
	}
	if state == task.StateUnknown {
		return "in a state that is not known"
	}
	return state.String()
}

// usualWait returns what a thread waits for, nil if unknown.
func (b *summary) usualWait(t *profile.Thread) *profile.Wait {
	if !b.Profile.Sampled() {
		return t.Wait
	}
	if usual := t.UsualWaits(); len(usual) > 0 {
		return &usual[0].Wait
	}
	return nil
}

// owners returns the threads that others wait for.
func (b *summary) owners() map[task.ThreadID]bool {
	owners := map[task.ThreadID]bool{}
	for _, t := range b.Profile.Threads {
		if w := b.usualWait(t); w != nil && w.Owner != 0 && b.waits(t) {
			owners[w.Owner] = true
		}
	}
	return owners
}
