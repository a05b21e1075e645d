package format

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
	return known(t.State)
}

// leastShown is which part of the whole a time must be to be written, one in so
// many: below it, it is no more than what the counters are behind at times.
const leastShown = 200

// spent writes on what time was spent; nothing where that is not known.
func spent(s profile.Spent) string {
	whole := s.OnCPU + s.Queued + s.Blocked
	var parts []string
	add := func(d time.Duration, on string) {
		if d > whole/leastShown && d >= time.Millisecond/2 {
			parts = append(parts, seconds(d)+" "+on)
		}
	}
	add(s.OnCPU, "on CPU")
	add(s.Queued, "waiting for a CPU")
	add(s.Blocked, "blocked")
	return strings.Join(parts, ", ")
}

// spent writes on what a thread has spent the time between its samples.
func (p *printer) spent(t *profile.Thread) string {
	if p.total == 0 {
		return ""
	}
	s := spent(t.Spent)
	if s != "" && isSum(t) {
		s += " together"
	}
	return s
}

// selfWord is what the last frame of a stack is, as the tree has it.
func (p *printer) selfWord() string {
	if p.inverted() {
		return "outermost"
	}
	return "self"
}

// split writes on what the time was spent that goes with a node's own samples: of a tree
// that was turned, those of its innermost functions.
func (p *printer) split(n *profile.Node) string {
	if p.total == 0 || p.inverted() {
		return ""
	}
	return splitOf(n.Spent, n.States)
}

// splitOf writes time or, where the system does not count that, how many samples a thread
// was in which state, unless it was one.
func splitOf(s profile.Spent, states *profile.States) string {
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
	if text := spent(s); text != "" {
		return "  " + text
	}
	return ""
}
