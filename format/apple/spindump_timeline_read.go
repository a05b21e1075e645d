package apple

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// maxMoments is the maximum number of samples in the timelines of a report, of all
// threads together.
const maxMoments = 1 << 26

// spinTimeline reads a thread's lines in a timeline. Each line covers consecutive
// samples; the lines below it cover parts of these, in the order of time. In samples
// that no line below covers, the line is the innermost frame.
type spinTimeline struct {
	built profile.TimelineBuilder
	open  []openLine // the last line and those above it, outermost first
	not   bool       // a line does not fit into a timeline
}

// openLine is a line to which further lines may be added below. Its samples before
// next are done.
type openLine struct {
	node       *profile.Node
	state      task.State
	next, last int
}

// add adds a line.
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

// close ends the lines from a depth on. It reports false if they are not in the order
// of time.
func (r *spinTimeline) close(depth int) bool {
	for _, line := range slices.Backward(r.open[depth:]) {
		if !r.keep(&line, line.last+1) {
			return false
		}
	}
	r.open = r.open[:depth]
	return true
}

// keep adds the samples of a line before until, in which it was innermost. It reports
// false if they are not in the order of time.
func (r *spinTimeline) keep(l *openLine, until int) bool {
	return until == l.next || r.built.Add(l.next, until-l.next, l.node, l.state)
}

// end returns the timeline, nil if there is none. In a truncated report it omits the
// last lines, because the lines below these are unknown.
func (r *spinTimeline) end(whole bool) *profile.Timeline {
	if r.not || whole && !r.close(0) {
		return nil
	}
	return r.built.Timeline()
}
