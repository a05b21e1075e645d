package words

import (
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// The limits of the tables of deadlocks.
const (
	maxDeadlocks = 20
	maxWaiters   = 8  // threads of one deadlock
	tableColumns = 80 // used if the width is not known: every terminal is at least as wide
	placeIndent  = 6
)

// Deadlocks writes the deadlocks of the profile.
func (p *Printer) Deadlocks() { p.Circles(p.Profile.Deadlocks, p.Profile) }

// Circles writes each deadlock as a table of its threads. of are the profiles of their
// processes.
func (p *Printer) Circles(all []profile.Deadlock, of ...*profile.Profile) {
	for i := range all {
		if i == maxDeadlocks {
			p.warn(Plural(len(all)-i, "further deadlock"))
			return
		}
		line := p.tableLine()
		t := line.DeadlockTable(&all[i], of...)
		p.table("Deadlock", &t)
	}
}

// Chain writes a chain of waits as a table.
func (p *Printer) Chain(key string, chain []profile.Waiter, of ...*profile.Profile) {
	line := p.tableLine()
	t := line.ChainTable(chain, of...)
	p.table(key, &t)
}

// tableLine returns the formatter for the lines of a table.
func (p *Printer) tableLine() StackLine {
	if p.Width == 0 {
		return NewStackLine(p.Profile, tableColumns)
	}
	return NewStackLine(p.Profile, p.Width)
}

func (p *Printer) table(key string, t *DeadlockTable) {
	p.Fact(key, p.Cut(t.Title))
	line := p.tableLine()
	for _, text := range t.Lines(line.Width, maxWaiters, "") {
		p.Line("%s", text)
	}
}

// DeadlockTable describes a deadlock: which thread waits for what, which one holds it, and
// where.
type DeadlockTable struct {
	Title  string
	Behind string // other threads that are stuck because they wait for these; empty: none
	rows   []deadlockRow
}

// deadlockRow is a thread of a deadlock.
type deadlockRow struct {
	id                task.ThreadID
	who, wait, holder string
	place             func(room int) []string // where it waits, in lines; nil: not known
}

// DeadlockTable returns the table of a deadlock, with the places of the threads that are in
// the profiles.
func (b *StackLine) DeadlockTable(d *profile.Deadlock, of ...*profile.Profile) DeadlockTable {
	t := DeadlockTable{Title: CircleTitle(d) + b.Stood(d), Behind: b.behind(d, of)}
	verb := "waits "
	if d.Ended {
		verb = "waited "
	}
	for i := range d.Waiters {
		w := &d.Waiters[i]
		thing, holder := b.waitParts(w)
		row := deadlockRow{id: w.ID, who: b.waiterName(w) + mainMark(w, of), wait: verb + thing, holder: holder}
		if path := waitPath(d, w, of); path != nil {
			row.place = func(room int) []string { return b.Place(path, room) }
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// mainMark returns a mark for the main thread of a process with a deadlock of its own.
func mainMark(w *profile.Waiter, of []*profile.Profile) string {
	if p := processOf(w, of); p != nil && w.PID == 0 {
		if t := p.Original().Find(w.ID); t != nil && t.Main {
			return " (main)"
		}
	}
	return ""
}

// ChainTable returns the table of a chain of waits.
func (b *StackLine) ChainTable(chain []profile.Waiter, of ...*profile.Profile) DeadlockTable {
	t := b.DeadlockTable(&profile.Deadlock{Waiters: chain}, of...)
	t.Title, t.Behind = "each thread waits for the next", ""
	if len(chain) == 1 {
		t.Title = "in another process"
	}
	return t
}

// CircleTitle returns a title with the number of threads that wait for each other.
func CircleTitle(d *profile.Deadlock) string {
	wait, waits := "wait", "waits"
	if d.Ended {
		wait, waits = "waited", "waited"
	}
	switch n := len(d.Waiters); n {
	case 1:
		return "a thread " + waits + " for itself"
	case 2:
		return "2 threads " + wait + " for each other"
	default:
		return fmt.Sprintf("each of %s threads %s for the next, and the last for the first", Count(n), waits)
	}
}

// waitPath returns the stack in which a thread of a deadlock waits. It returns nil if that is
// not known, because the deadlock is over or did not last for most of the samples, or if no
// frame has a name.
func waitPath(d *profile.Deadlock, w *profile.Waiter, of []*profile.Profile) []*profile.Node {
	p := processOf(w, of)
	if p == nil {
		return nil
	}
	p = p.Original()
	t := p.Find(w.ID)
	if t == nil || p.Sampled() && (d.Ended || !lasted(d, p, t)) {
		return nil
	}
	if path := t.Heaviest(); slices.ContainsFunc(path, func(n *profile.Node) bool { return n.Function != "" }) {
		return path
	}
	return nil
}

// lasted reports whether a thread was in a deadlock in most of its samples.
func lasted(d *profile.Deadlock, p *profile.Profile, t *profile.Thread) bool {
	return d.Looks > 1 && (d.Looks >= t.Looks || 2*(d.To-d.From) >= p.Duration())
}

// processOf returns the profile that has a thread; nil if there is none.
func processOf(w *profile.Waiter, of []*profile.Profile) *profile.Profile {
	for _, p := range of {
		if w.PID == 0 || p.Target.PID == w.PID {
			return p
		}
	}
	return nil
}

// waitParts returns descriptions of what a thread of a deadlock waits for, and of its holder.
// holder is empty if the first description names it.
func (p *Printer) waitParts(w *profile.Waiter) (thing, holder string) {
	wait, os, peer := &w.Wait, p.Profile.Target.OS, w.Wait.Peer
	peer.ThreadName = ""
	switch {
	case peer.PID != 0 && (peer.Others || peer.Self || peer.AlsoSelf), peer.PID == 0 && wait.Owner == 0:
		return p.WaitFor(w.ID, wait), ""
	case peer.PID != 0 && peer.Action == profile.Release:
		return "for " + lockName(wait), "held by " + peerThread(os, &peer)
	case peer.PID != 0:
		return inCall(wait), "for " + peerThread(os, &peer) + " to " + peer.Action.String()
	case wait.Lock == profile.ThreadEnd:
		return "for " + p.ThreadName(wait.Owner, "") + " to end", ""
	case wait.Owner == w.ID:
		return "for " + lockName(wait), had(wait.Lock) + " by itself"
	}
	return "for " + lockName(wait), had(wait.Lock) + " by " + p.ThreadName(wait.Owner, "")
}

// behind describes the threads outside a deadlock that wait, directly or indirectly, for a
// thread in it.
func (p *Printer) behind(d *profile.Deadlock, of []*profile.Profile) string {
	if d.Ended {
		return ""
	}
	n, them := 0, "them"
	if len(d.Waiters) == 1 {
		them = "it"
	}
	var last *profile.Thread
	for _, one := range of {
		for _, t := range stuckBehind(d, one.Original()) {
			n += t.Weight()
			if last == nil || t.Main {
				last = t
			}
		}
	}
	switch {
	case n == 0:
		return ""
	case n == 1 && last.Main:
		return "the main thread waits for " + them + ", too"
	case n == 1:
		return p.ThreadName(last.ID, last.Name) + " waits for " + them + ", too"
	case last.Main:
		return Count(n) + " more threads wait for " + them + ", the main thread among these"
	}
	return Count(n) + " more threads wait for " + them
}

// stuckBehind returns the threads of a process that wait, directly or indirectly, for one in the
// deadlock.
func stuckBehind(d *profile.Deadlock, p *profile.Profile) (stuck []*profile.Thread) {
	held := map[task.ThreadID]bool{}
	for i := range d.Waiters {
		if w := &d.Waiters[i]; w.PID == 0 || w.PID == p.Target.PID {
			held[w.ID] = true
		}
	}
	for more := true; more; {
		more = false
		for _, t := range p.Threads {
			if w := t.ConstantWait(p.Sampled()); !held[t.ID] && w != nil && w.Peer.PID == 0 && held[w.Owner] {
				held[t.ID], more = true, true
				stuck = append(stuck, t)
			}
		}
	}
	return stuck
}

// Lines returns the lines of the table below its title, with at most that many threads. Lines
// that continue another one begin with a mark, after their indent.
func (t *DeadlockTable) Lines(width, most int, mark string) (lines []string) {
	rows := t.rows[:min(len(t.rows), most)]
	begins, align := begins(rows, width)
	oneLine := align && fitInOne(rows, begins, width)
	indent := strings.Repeat(" ", placeIndent) + mark
	for i, r := range rows {
		switch {
		case oneLine && r.place == nil:
			lines = append(lines, strings.TrimRight(begins[i], " "))
		case oneLine:
			lines = append(lines, begins[i]+"  "+r.place(width - Columns(begins[i]) - 2)[0])
		default:
			lines = append(lines, continued(strings.TrimRight(begins[i], " "), width, mark)...)
			lines = append(lines, r.placeLines(indent, width)...)
		}
	}
	if n := len(t.rows) - len(rows); n > 0 {
		lines = append(lines, "  … "+Plural(n, "more thread"))
	}
	if t.Behind != "" {
		lines = append(lines, "  "+t.Behind)
	}
	return lines
}

// Places returns the ids of those of the first most threads whose rows say where they wait.
func (t *DeadlockTable) Places(most int) (ids []task.ThreadID) {
	for _, r := range t.rows[:min(len(t.rows), most)] {
		if r.place != nil {
			ids = append(ids, r.id)
		}
	}
	return ids
}

func (r *deadlockRow) placeLines(indent string, width int) (lines []string) {
	if r.place == nil {
		return nil
	}
	for _, text := range r.place(width - Columns(indent)) {
		lines = append(lines, indent+text)
	}
	return lines
}

// begins returns the rows without their places. align is true if they are in columns, because
// these fit into the width.
func begins(rows []deadlockRow, width int) (lines []string, align bool) {
	var who, wait, holder int
	for _, r := range rows {
		who, wait, holder = max(who, Columns(r.who)), max(wait, Columns(r.wait)), max(holder, Columns(r.holder))
	}
	align = len("  ")+who+len("  ")+wait+len("  ")+holder <= width
	for _, r := range rows {
		if align {
			lines = append(lines, "  "+padded(r.who, who)+"  "+padded(r.wait, wait)+"  "+padded(r.holder, holder))
			continue
		}
		text := "  " + r.who + " " + r.wait
		if r.holder != "" {
			text += ", " + r.holder
		}
		lines = append(lines, text)
	}
	return lines, align
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-Columns(text)))
}

// fitInOne reports whether each row and its place fit into one line.
func fitInOne(rows []deadlockRow, begins []string, width int) bool {
	for i, r := range rows {
		room := width - Columns(begins[i]) - len("  ")
		if r.place == nil {
			continue
		}
		if place := r.place(room); len(place) > 1 || Columns(place[0]) > room {
			return false
		}
	}
	return true
}

// continued breaks a line at blanks.
func continued(line string, width int, mark string) []string {
	lines := Wrapped(line, width-Columns(mark), placeIndent)
	for i := range lines[1:] {
		lines[i+1] = lines[i+1][:placeIndent] + mark + lines[i+1][placeIndent:]
	}
	return lines
}

// Stood returns a phrase with the times of a deadlock's observations; empty for a single
// snapshot.
func (p *Printer) Stood(d *profile.Deadlock) string {
	from := "+" + Duration(d.From)
	switch {
	case !p.Profile.Sampled():
		return ""
	case d.Looks == 1:
		return "; seen at " + from + ", in the last check alone"
	case d.Ended:
		return fmt.Sprintf("; seen from %s to +%s, in %s, and then no more", from, Duration(d.To), Plural(d.Looks, "check"))
	}
	return fmt.Sprintf("; seen from %s to the end, in all %s", from, Plural(d.Looks, "check"))
}

// waiterName names a thread of a deadlock, with its process if there are several.
func (p *Printer) waiterName(w *profile.Waiter) string {
	if w.PID == 0 {
		return p.ThreadName(w.ID, w.Name)
	}
	return peerThread(p.Profile.Target.OS, &profile.Peer{PID: w.PID, Name: w.Process, Thread: w.ID, ThreadName: w.Name})
}

// waitForNext describes the object of a wait and its owner. The owner comes last, so that a
// phrase about it can follow.
func (p *Printer) waitForNext(w *profile.Waiter) string {
	if peer := &w.Wait.Peer; w.Wait.WaitsForOther() && !peer.Others && peer.Action != profile.Release {
		return inCall(&w.Wait) + ", for " + peerThread(p.Profile.Target.OS, peer) + " to " + peer.Action.String()
	}
	return p.WaitFor(w.ID, &w.Wait)
}
