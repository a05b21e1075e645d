package words

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/task"
)

// turn describes the state of a thread in one snapshot; for a runnable one, whether it is
// on a CPU.
func turn(t *profile.Thread) string {
	switch {
	case t.State != task.Running:
	case t.OnCPUState == task.OnCPU && t.Processor < 0:
		return "on a CPU each"
	case t.OnCPUState == task.OnCPU:
		return fmt.Sprintf("on CPU %d", t.Processor)
	case t.OnCPUState == task.Queued:
		return "waiting for a CPU"
	}
	return StateName(t.State)
}

// busyFor returns clauses on what a busy thread has done since it began; "" if nothing certain
// is known.
func busyFor(b *headline.Busy) (text string) {
	switch {
	case b.Waited > 0:
		text += "; ready to run " + Percent(b.Share+b.Queued) + " of the time since its start, it got a CPU for " + percentOver0(b.Share)
	case b.Share > 0:
		text += ", " + percentOver0(b.Share) + " of a CPU since its start"
	}
	if b.Nice > 0 {
		text += fmt.Sprintf(", at nice %d", b.Nice)
	}
	if b.System > 0 {
		text += "; " + Percent(b.System) + " of its CPU time is system time"
	}
	return text + faults(b)
}

// percentOver0 is Percent for a fraction above 0. It never returns 0 percent.
func percentOver0(part float64) string {
	if part < 0.005 {
		return "under 1 %"
	}
	return Percent(part)
}

// faults returns a clause on the page faults of a thread; "" if they are few.
func faults(b *headline.Busy) string {
	switch {
	case b.Faults == 0:
		return ""
	case b.DiskFaults == 0:
		return "; " + Count(int(b.Faults)) + " page faults since its start"
	}
	return fmt.Sprintf("; %s page faults since its start (%s from disk)", Count(int(b.Faults)), Count(int(b.DiskFaults)))
}

// leastShown is the inverse of the smallest share of the whole that is printed. Smaller
// times may be errors of late counters.
const leastShown = 200

// SpentText describes how time was spent; empty if unknown.
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

// Spent describes how a thread spent the time between its samples.
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

// selfWord returns the word for the time of the innermost frame of stacks in the tree.
func (p *Printer) selfWord() string {
	if p.IsInverted() {
		return "outermost"
	}
	return "self"
}

// SplitOf describes how time was spent. If the system does not measure that, it returns the
// number of samples in each state, or nothing if all were in one.
func SplitOf(s profile.Spent, states *profile.States) string {
	if text := spentIn(s); text != "" || states == nil {
		return text
	}
	if parts := stateCounts(*states); len(parts) > 1 {
		return "  " + strings.Join(parts, ", ")
	}
	return ""
}

// spentIn is SpentText for the end of a frame's line.
func spentIn(s profile.Spent) string {
	if text := SpentText(s); text != "" {
		return "  " + text
	}
	return ""
}
