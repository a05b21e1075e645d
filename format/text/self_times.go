package text

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// The maximum number of functions in each list of self times. With --min 0 it is
// maxSelf for each.
const (
	maxSelf    = 50
	maxRan     = 8
	maxBlocked = 3
)

// selfTimes lists the innermost functions, by CPU time and separately by the time in
// which threads were blocked. If the system does not measure these times, it counts
// the samples in which threads could run, and those in which they could not. If the
// states are unknown, it counts all samples.
func (p *printer) selfTimes() {
	times, total := p.Profile.Straight().SelfTimes()
	switch {
	case total == 0:
	case measured(times) != profile.Spent{}:
		p.measuredTimes(times)
	case statesOf(times) == total:
		p.stateTimes(times)
	default:
		title := fmt.Sprintf("Self time: the innermost function, in %s samples of all threads:", words.Count(total))
		p.selfTable(title, maxSelf, times, countedIn(func(t *profile.SelfTime) int { return t.Samples }))
	}
}

// measuredTimes lists the functions by measured time.
func (p *printer) measuredTimes(times []profile.SelfTime) {
	sum := measured(times)
	title := fmt.Sprintf("Self time: %s on a CPU, by the innermost function", words.Seconds(sum.OnCPU))
	if isKnown(sum, sum.Queued) {
		title += fmt.Sprintf(" (and %s waiting for a CPU)", words.Seconds(sum.Queued))
	}
	p.selfTable(title+":", p.atMost(maxRan), times, spentIn(func(s profile.Spent) time.Duration { return s.OnCPU }))
	if !isKnown(sum, sum.Blocked) {
		return
	}
	title = fmt.Sprintf("Blocked: %s of all threads, by the innermost function:", words.Seconds(sum.Blocked))
	p.selfTable(title, p.atMost(maxBlocked), times, spentIn(func(s profile.Spent) time.Duration { return s.Blocked }))
}

// measured returns the sum of the measured times of all functions.
func measured(times []profile.SelfTime) (sum profile.Spent) {
	for _, t := range times {
		sum.Add(t.Spent)
	}
	return sum
}

// isKnown reports whether a part of the measured time is larger than the error of
// counters that are read late.
func isKnown(whole profile.Spent, part time.Duration) bool {
	const least = 200 // the inverse of its share
	return part > (whole.OnCPU+whole.Queued+whole.Blocked)/least
}

// stateTimes lists the functions by the samples in each kind of state.
func (p *printer) stateTimes(times []profile.SelfTime) {
	ran := countedIn(func(t *profile.SelfTime) int { return t.States[task.Running] })
	p.selfTable("Self time: the innermost function, in samples of threads that could run:", p.atMost(maxRan), times, ran)
	waited := countedIn(func(t *profile.SelfTime) int { return t.Samples - t.States[task.Running] })
	p.selfTable("Blocked: the innermost function, in samples of threads that could not run:", p.atMost(maxBlocked), times, waited)
}

// atMost returns the maximum length of a list.
func (p *printer) atMost(most int) int {
	if p.least == 0 {
		return maxSelf
	}
	return most
}

// statesOf returns the number of samples whose state is known.
func statesOf(times []profile.SelfTime) (n int) {
	for _, t := range times {
		if t.States == nil {
			continue
		}
		for state, samples := range t.States {
			if task.State(state) != task.StateUnknown {
				n += samples
			}
		}
	}
	return n
}

// amount is the amount by which functions are listed, and its format.
type amount struct {
	of   func(*profile.SelfTime) float64
	text func(float64) string
}

func spentIn(of func(profile.Spent) time.Duration) amount {
	return amount{
		func(t *profile.SelfTime) float64 { return float64(of(t.Spent)) },
		func(x float64) string { return words.Seconds(time.Duration(x)) },
	}
}

func countedIn(of func(*profile.SelfTime) int) amount {
	return amount{
		func(t *profile.SelfTime) float64 { return float64(of(t)) },
		func(x float64) string { return words.Count(int(x)) },
	}
}

// selfTable lists the functions with the largest amounts, and their shares of all.
func (p *printer) selfTable(title string, most int, times []profile.SelfTime, by amount) {
	sum := 0.0
	var rows []profile.SelfTime
	for _, t := range times {
		if x := by.of(&t); x > 0 {
			rows, sum = append(rows, t), sum+x
		}
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b profile.SelfTime) int { return cmp.Compare(by.of(&b), by.of(&a)) })
	p.Line("")
	p.Text("", 2, title)
	left := sum
	for i, t := range rows {
		x := by.of(&t)
		if i == most || i > 0 && 100*x < p.least*sum {
			p.Line("          … %s, %.1f %%", words.Plural(len(rows)-i, "more function"), 100*left/sum)
			return
		}
		left -= x
		lead := fmt.Sprintf("%8s %5.1f %%  ", by.text(x), 100*x/sum)
		p.Line("%s%s", lead, p.selfFunction(&t, lead))
	}
}

// selfFunction names a function after the start of its line: with its image if there is room.
func (p *printer) selfFunction(t *profile.SelfTime, lead string) string {
	if t.Several && t.Function == "" && t.Image != nil && t.Start == 0 {
		return p.Name("???") + " (" + words.ImageName(t.Image) + ")"
	}
	name := p.InFull(t.Location)
	if p.Over(lead+name) > 0 {
		name = p.Squeezed(t.Location, p.Width-words.Columns(lead))
	}
	return name
}
