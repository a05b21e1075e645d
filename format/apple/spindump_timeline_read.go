package apple

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// maxMoments bounds the samples of the timelines of a report, of all threads together.
const maxMoments = 1 << 26

// spinTimeline reads the lines of a thread of a timeline: each is of samples one after
// another, and those below it of some of these, in the order of time. Of samples that none
// below has it is the innermost.
type spinTimeline struct {
	built profile.TimelineBuilder
	open  []openLine // the last line, and those that it is below
	not   bool       // a line is none of a timeline
}

// openLine is a line with its samples, from the first of which it is not known yet what is
// below it.
type openLine struct {
	node       *profile.Node
	state      task.State
	next, last int
}

// add takes up a line.
func (r *spinTimeline) add(depth int, n *profile.Node, l *spinLabel, limits *limits) {
	first, last := parseRange(l.samples)
	if r.not = r.not || last < first || depth > len(r.open) || !r.close(depth); r.not {
		return
	}
	if depth == 0 {
		limits.moments += last - first + 1
		r.not = limits.moments > maxMoments
		limits.full = limits.full || r.not
	} else {
		above := &r.open[depth-1]
		r.not = last > above.last || !r.keep(above, first)
		above.next = last + 1
	}
	state, _ := parseSpinState(l.state)
	r.open = append(r.open, openLine{n, state, first, last})
}

// close has the lines from a depth on have ended, and reports whether their order is that of
// time.
func (r *spinTimeline) close(depth int) bool {
	for _, line := range slices.Backward(r.open[depth:]) {
		if !r.keep(&line, line.last+1) {
			return false
		}
	}
	r.open = r.open[:depth]
	return true
}

// keep keeps the samples of a line up to another one's first, unless that is before them.
func (r *spinTimeline) keep(l *openLine, until int) bool {
	return until == l.next || r.built.Add(l.next, until-l.next, l.node, l.state)
}

// end returns the timeline, nil where there is none. What follows the last lines of a report
// that was cut short is not known, and not told.
func (r *spinTimeline) end(whole bool) *profile.Timeline {
	if r.not || whole && !r.close(0) {
		return nil
	}
	return r.built.Timeline()
}
