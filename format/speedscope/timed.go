package speedscope

import (
	"slices"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// evented writes an evented profile: the times at which each frame of a thread is called
// and returns. A frame lasts from the first snapshot that has it to the one after the last.
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

// speedscopeEvents writes the events between one stack and the next.
type speedscopeEvents struct {
	writer *speedscopeWriter
	at     time.Duration // time of the next event
	stack  []int         // frames that are open, the outermost first
	events int
}

// change closes the open frames that are not in stack, innermost first, and opens the new
// ones.
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

// speedscopeStacks are the stacks of a thread, by the nodes that they end in.
type speedscopeStacks struct {
	frames  []int
	callers []int // index in frames of each frame's caller, or noCaller
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

// of returns the stack that ends in a node, the outermost frame first. It is valid until
// the next call.
func (s *speedscopeStacks) of(n *profile.Node) []int {
	s.stack = s.stack[:0]
	for at := s.ends[n]; at != noCaller; at = s.callers[at] {
		s.stack = append(s.stack, s.frames[at])
	}
	slices.Reverse(s.stack)
	return s.stack
}

// noCaller is the caller of an outermost frame.
const noCaller = -1
