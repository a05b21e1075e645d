package apple

import (
	"io"
	"slices"
	"strings"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// SpindumpTimeline writes a report in spindump's timeline form, version 35.1: stacks
// in the order of time, with the range of consecutive samples in which each frame was
// on the stack. It marks innermost frames of running threads; the form has no other
// states. The error is [timeline.ErrNoTimeline] if the times of the samples are
// unknown.
func SpindumpTimeline(w io.Writer, r *report.Report, _ words.Options) error {
	if err := timeline.Check(&r.Group); err != nil {
		return err
	}
	return writeSpindump(w, &r.Group, &spinOrder{
		rule: strings.Repeat("-", 50), stacks: (*spinWriter).timeline,
		lines: [2]string{"Timeline format: stacks are sorted chronologically", "To sort by count: stacksnap FILE -f spindump"},
	})
}

// timeline writes the samples of a thread in the order of time. All lines are made
// before the first is written, because each contains its last sample.
func (s *spinWriter) timeline(p *profile.Profile, t *profile.Thread) {
	l := newSpinLines(t)
	for m := range p.Moments(t) {
		l.add(&m)
	}
	l.close(0)
	width := digits(t.Samples)
	labels := map[*profile.Node]string{} // a node can have many lines
	for i := range l.all {
		line := &l.all[i]
		label, ok := labels[line.node]
		if !ok {
			at := spinPlace(line.node)
			label = at.spinLabel().String()
			labels[line.node] = label
		}
		s.frame(line.node.Kernel || inKernel(line.node.PC), line.last-line.first+1, line.depth, width, label+line.behind())
	}
}

// spinLine is a frame that was on the stack in consecutive samples.
type spinLine struct {
	node        *profile.Node
	depth       int
	first, last int  // samples, counted from 0
	ran         bool // the thread ran in the first sample
	called      bool // it was not innermost in all of its samples
}

// behind returns the text after a frame: "(running) 4-9".
func (l *spinLine) behind() string {
	behind := " " + spinRange(l.first, l.last)
	if l.ran && !l.called {
		return " (" + runningState + ")" + behind
	}
	return behind
}

// spinLines makes the lines of a thread.
type spinLines struct {
	above map[*profile.Node]*profile.Node
	all   []spinLine
	open  []int           // indices in all of the lines of the last sample, outermost first
	path  []*profile.Node // frames of a sample, outermost first
	next  int             // number after the last sample
	leaf  *profile.Node   // innermost frame of the last sample
	ran   bool            // the thread ran in the last sample
}

func newSpinLines(t *profile.Thread) *spinLines {
	l := &spinLines{above: map[*profile.Node]*profile.Node{}}
	var path []*profile.Node
	for depth, n := range t.Nodes() {
		if path = append(path[:depth], n); depth > 0 {
			l.above[n] = path[depth-1]
		} else if n.Cut != nil {
			l.above[n] = cutHere
		}
	}
	return l
}

// Placeholders for frames that are missing in a line.
var (
	cutHere  = &profile.Node{Location: profile.Location{Function: spinTruncated}}
	leftHere = &profile.Node{Location: profile.Location{Function: omitted}}
)

// add extends the lines that a sample shares with the one before, and begins new
// lines for its other frames.
func (l *spinLines) add(m *profile.Moment) {
	ran := m.State == task.Running
	if m.Snapshot != l.next {
		l.close(0)
	} else if m.Node == l.leaf && ran == l.ran {
		l.next++
		return
	}
	path := l.pathOf(m.Node)
	same := l.shared(path)
	if last := len(path) - 1; same > last && last >= 0 && l.changes(last, ran) {
		same = last
	}
	l.close(same)
	if same > 0 && same < len(path) {
		l.all[l.open[same-1]].called = true
	}
	for depth := same; depth < len(path); depth++ {
		l.open = append(l.open, len(l.all))
		l.all = append(l.all, spinLine{node: path[depth], depth: depth, first: m.Snapshot, ran: ran, called: depth < len(path)-1})
	}
	l.next, l.leaf, l.ran = m.Snapshot+1, m.Node, ran
}

// close ends the open lines from a depth on.
func (l *spinLines) close(depth int) {
	for _, i := range l.open[depth:] {
		l.all[i].last = l.next - 1
	}
	l.open = l.open[:depth]
}

// shared returns how many open lines, from the outermost on, have the same frames as path.
func (l *spinLines) shared(path []*profile.Node) int {
	n := 0
	for n < min(len(l.open), len(path)) && l.all[l.open[n]].node == path[n] {
		n++
	}
	return n
}

// changes reports whether the open line at a depth was innermost until now, and the
// thread has started or stopped running since.
func (l *spinLines) changes(depth int, ran bool) bool {
	line := &l.all[l.open[depth]]
	return !line.called && line.ran != ran
}

// pathOf returns the stack of a sample. It omits the middle of a deep stack.
func (l *spinLines) pathOf(n *profile.Node) []*profile.Node {
	l.path = l.path[:0]
	for ; n != nil; n = l.above[n] {
		l.path = append(l.path, n)
	}
	slices.Reverse(l.path)
	if deep := len(l.path); deep > maxLevels {
		l.path = slices.Replace(l.path, maxLevels-keptInner-1, deep-keptInner, leftHere)
	}
	return l.path
}
