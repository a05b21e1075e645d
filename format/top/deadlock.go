package top

import (
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// leastChecks is the number of checks in a row that must find a deadlock before it is shown.
// A single check reads one thread after another, and may find a cycle that never existed.
const leastChecks = 2

// lasting describes the deadlocks that exist now.
func (b *Board) lasting() (sentences []string) {
	for i := range b.deadlocks {
		if d := &b.deadlocks[i]; !d.Ended && d.Looks >= leastChecks && !b.runsIn(d) {
			sentences = append(sentences, b.words.Circle(d.Waiters))
		}
	}
	return sentences
}

// runsIn reports whether a thread of a deadlock has ended or runs, which the next check will
// find.
func (b *Board) runsIn(d *profile.Deadlock) bool {
	return slices.ContainsFunc(d.Waiters, func(w profile.Waiter) bool {
		t := b.threads[w.ID]
		return t != nil && (t.seen < b.Samples || t.state == task.Running)
	})
}

// deadlockLine returns the line on the deadlocks, with the first of them; none if there is
// none.
func deadlockLine(d *data, width int) []line {
	if len(d.deadlocks) == 0 {
		return nil
	}
	label := "Deadlock: "
	if n := len(d.deadlocks); n > 1 {
		label = fmt.Sprintf("Deadlock 1 of %d: ", n)
	}
	label = clipped(label, width)
	room := width - words.Columns(label)
	if room <= 0 {
		return []line{text(label, warning)}
	}
	return []line{{[]span{{label, warning}, {clippedAtWord(d.deadlocks[0], room), strong}}, plain}}
}

// clippedAtWord cuts a text to width columns, and marks the cut. It cuts no word in two, so that
// the start of a name is not taken for a name, unless the first word is too long.
func clippedAtWord(text string, width int) string {
	if words.Columns(text) <= width {
		return text
	}
	return words.Clip(words.Wrapped(text, max(1, width-1), 0)[0]+"…", width)
}
