package html

import (
	"strconv"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// maxStretches is the maximum number of stretches of timelines in one page, some megabytes.
const maxStretches = 300_000

// timeline writes the timeline of a thread. Each stretch of samples is four numbers: its
// start after that of the previous stretch, its length (both in microseconds), the state,
// and the node (-1 if unknown). Waits and hangs follow. It writes nothing if the profile
// has no timeline, and a mark if that is too long for a page.
func (d *data) timeline(w *words.Words, t *profile.Thread, nodes map[*profile.Node]int) {
	if t.Timeline == nil {
		return
	}
	n := 0
	for range w.Stretches(t) {
		n++
	}
	if n > d.stretches {
		d.text(`,"cut":true`)
		return
	}
	d.stretches -= n
	d.text(",\n\"timeline\":[")
	var marks []mark
	last, more := int64(0), false
	for s := range w.Stretches(t) {
		at, known := nodes[s.Node]
		if !known {
			at = -1
		}
		from, to := d.shifted(s.From), d.shifted(s.To)
		d.row(more, from-last, to-from, int64(s.State), int64(at))
		last, more = from, true
		if s.Waits != "" {
			marks = append(marks, mark{from, to, s.Waits, false})
		}
	}
	d.text(`],"marks":[`)
	for _, h := range w.Hangs(t) {
		marks = append(marks, mark{d.shifted(h.From), d.shifted(h.To), "hang: not seen in its run loop", true})
	}
	for i, m := range marks {
		d.separate(i)
		d.value([]any{m.from, m.to, m.text, m.hang})
	}
	d.text("]")
}

// mark is a labelled part of a timeline, in microseconds.
type mark struct {
	from, to int64
	text     string
	hang     bool
}

// shifted returns a time of the process in microseconds after the first process's start.
func (d *data) shifted(at time.Duration) int64 { return (d.shift + at).Microseconds() }

// row writes numbers, after a comma if more.
func (d *data) row(more bool, numbers ...int64) {
	for i, n := range numbers {
		if i > 0 || more {
			d.text(",")
		}
		d.number = strconv.AppendInt(d.number[:0], n, 10)
		_, _ = d.out.Write(d.number)
	}
}
