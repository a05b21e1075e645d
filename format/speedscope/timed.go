package speedscope

import (
	"slices"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// evented writes the profile of a thread in the order of time: when each frame comes onto
// the stack, and when it goes. A frame stays there for as long as samples find it, from
// the one snapshot to the next.
func (o *speedscopeWriter) evented(p *profile.Profile, t *profile.Thread, shift time.Duration) {
	o.Text(`,"unit":"nanoseconds","startValue":0,"events":[`)
	stacks := o.timedStacks(t)
	e := speedscopeEvents{writer: o}
	for s := range timeline.Stretches(p, t) {
		if s.At+shift != e.at {
			e.change(nil)
			e.at = s.At + shift
		}
		e.change(stacks.of(s.Node))
		e.at = s.Until + shift
	}
	e.change(nil)
	o.Text(`],"endValue":`)
	o.Integer(e.at.Nanoseconds())
	o.Text("}")
}

// speedscopeEvents writes what changes from one stack to the next.
type speedscopeEvents struct {
	writer *speedscopeWriter
	at     time.Duration // until which it was written
	stack  []int         // of frames, the outermost first, that is open then
	events int
}

// change closes the frames that are not in a stack, the innermost first, and opens those
// that are new.
func (e *speedscopeEvents) change(stack []int) {
	same := 0
	for same < min(len(stack), len(e.stack)) && stack[same] == e.stack[same] {
		same++
	}
	for i := len(e.stack) - 1; i >= same; i-- {
		e.event("C", e.stack[i])
	}
	for _, frame := range stack[same:] {
		e.event("O", frame)
	}
	e.stack = append(e.stack[:same], stack[same:]...)
}

func (e *speedscopeEvents) event(kind string, frame int) {
	o := e.writer
	o.Separate(e.events)
	e.events++
	o.Text("\n" + `{"type":"` + kind + `","frame":`)
	o.Integer(int64(frame))
	o.Text(`,"at":`)
	o.Integer(e.at.Nanoseconds())
	o.Text("}")
}

// speedscopeStacks are the stacks of a thread that end in the nodes of its tree.
type speedscopeStacks struct {
	frames  []int
	callers []int // of each frame in frames; none of an outermost one
	ends    map[*profile.Node]int
	stack   []int
}

func (o *speedscopeWriter) timedStacks(t *profile.Thread) *speedscopeStacks {
	s := &speedscopeStacks{ends: map[*profile.Node]int{}}
	s.ends[nil] = s.add(noCaller, o.frames.Of(speedscopeFrame{name: words.NoStack}))
	var path []int
	for depth, n := range t.Nodes() {
		caller := noCaller
		if depth > 0 {
			caller = path[depth-1]
		} else if n.Cut != nil {
			caller = s.add(noCaller, o.frames.Of(speedscopeFrame{name: words.CutLabel(n.Cut)}))
		}
		at := s.add(caller, o.frames.Of(o.frameOf(n)))
		path = append(path[:depth], at)
		if n.Self > 0 {
			s.ends[n] = at
		}
	}
	return s
}

func (s *speedscopeStacks) add(caller, frame int) int {
	s.frames, s.callers = append(s.frames, frame), append(s.callers, caller)
	return len(s.frames) - 1
}

// of is the stack that ends in a node, the outermost frame first. It is good until the
// next is asked for.
func (s *speedscopeStacks) of(n *profile.Node) []int {
	s.stack = s.stack[:0]
	for at := s.ends[n]; at != noCaller; at = s.callers[at] {
		s.stack = append(s.stack, s.frames[at])
	}
	slices.Reverse(s.stack)
	return s.stack
}

// noCaller is the number of what calls an outermost frame.
const noCaller = -1
