package words

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// turn writes the state of one sample: of a thread that could run, whether it did.
func turn(t *profile.Thread) string {
	switch {
	case t.State != task.Running:
	case t.Turn == task.OnCPU && t.Processor < 0:
		return "on a CPU each"
	case t.Turn == task.OnCPU:
		return fmt.Sprintf("on CPU %d", t.Processor)
	case t.Turn == task.Queued:
		return "waiting for a CPU"
	}
	return StateName(t.State)
}

// leastShown is which part of the whole a time must be to be written, one in so
// many: below it, it is no more than what the counters are behind at times.
const leastShown = 200

// SpentText writes on what time was spent; nothing where that is not known.
func SpentText(s profile.Spent) string {
	whole := s.OnCPU + s.Queued + s.Blocked
	var parts []string
	add := func(d time.Duration, on string) {
		if d > whole/leastShown && d >= time.Millisecond/2 {
			parts = append(parts, Seconds(d)+" "+on)
		}
	}
	add(s.OnCPU, "on CPU")
	add(s.Queued, "waiting for a CPU")
	add(s.Blocked, "blocked")
	return strings.Join(parts, ", ")
}

// Spent writes on what a thread has spent the time between its samples.
func (p *Printer) Spent(t *profile.Thread) string {
	if p.Total == 0 {
		return ""
	}
	s := SpentText(t.Spent)
	if s != "" && isSum(t) {
		s += " together"
	}
	return s
}

// selfWord is what the last frame of a stack is, as the tree has it.
func (p *Printer) selfWord() string {
	if p.IsInverted() {
		return "outermost"
	}
	return "self"
}

// SplitOf writes time or, where the system does not count that, how many samples a thread
// was in which state, unless it was one.
func SplitOf(s profile.Spent, states *profile.States) string {
	if text := spentIn(s); text != "" || states == nil {
		return text
	}
	if parts := stateCounts(*states); len(parts) > 1 {
		return "  " + strings.Join(parts, ", ")
	}
	return ""
}

// spentIn writes behind a function on what the time in it was spent.
func spentIn(s profile.Spent) string {
	if text := SpentText(s); text != "" {
		return "  " + text
	}
	return ""
}
