package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// caller is a function in stacks, with its callers.
type caller struct {
	frame
	mark string // text that replaces a frame; empty: there is a frame
	amount
	callers []*caller
}

// callers returns the tree of a function's callers; its root is the function itself.
// It is made from the window's stacks of one thread or, if of is nil, of all threads.
// For a recursive function the outermost call counts.
func (w window) callers(fn int32, of *thread) *caller {
	root := &caller{frame: frame{function: fn, line: unknownLine}}
	for _, p := range w.parts {
		for s, n := range p.counts {
			if (of == nil || s.thread == of) && slices.Contains(s.stack.functions, fn) {
				root.count(s.stack, *n)
			}
		}
	}
	return root
}

// count adds a stack that has the root's function.
func (c *caller) count(s *stack, n amount) {
	c.add(n)
	const middle = maxFrames / 2
	first := middle // the function may be among the frames that are left out
	for i, f := range s.frames {
		if f.function == c.function {
			first = i + 1
		}
	}
	at := c
	for i := first; i < len(s.frames); i++ {
		if i == middle && s.left > 0 {
			at = at.calledBy(frame{}, fmt.Sprintf("… %d frames", s.left), n)
		}
		at = at.calledBy(s.frames[i], "", n)
	}
	if s.cut != "" {
		at.calledBy(frame{}, "<stack cut here: "+s.cut+">", n)
	}
}

// calledBy adds an amount to one of the callers, and returns it.
func (c *caller) calledBy(f frame, mark string, n amount) *caller {
	i := slices.IndexFunc(c.callers, func(by *caller) bool { return by.frame == f && by.mark == mark })
	if i < 0 {
		i = len(c.callers)
		c.callers = append(c.callers, &caller{frame: f, mark: mark})
	}
	c.callers[i].add(n)
	return c.callers[i]
}

// callersPane returns the lines of the tree of the selected function's callers.
func (s *state) callersPane(d *data, width int) (title string, lines []line) {
	w, of := d.window(windows[s.window]), s.threadOnly(d)
	t := callerTree{data: d, measure: s.measure, whole: w.whole(of), width: width}
	t.add(w.callers(s.function, of), 0, true)
	name := d.functions[s.function].name
	if len(t.lines) == 0 {
		t.lines = []line{text(fmt.Sprintf("  none with %s in this time", name), faint)}
	}
	return " %TOTAL  CALLERS of " + name, t.lines
}

// callerTree is the text of a tree of callers.
type callerTree struct {
	*data
	measure measure
	whole   amount
	width   int
	lines   []line
}

// leastCaller is the smallest share of a caller that is shown as more than 0.
const leastCaller = 0.0005

// add adds a function and its callers, each below the function that it calls. It
// indents callers only if there are several, so that a chain of calls stays as narrow
// as a stack, and siblings can be distinguished.
func (t *callerTree) add(c *caller, level int, single bool) {
	if share(c.amount, t.whole, t.measure) < leastCaller {
		return
	}
	t.lines = append(t.lines, t.line(c, level))
	slices.SortFunc(c.callers, t.compare)
	if !single || len(c.callers) > 1 {
		level++
	}
	for _, by := range c.callers {
		t.add(by, level, len(c.callers) == 1)
	}
}

// compare sorts callers, those with the largest shares first.
func (t *callerTree) compare(a, b *caller) int {
	return cmp.Or(cmp.Compare(share(b.amount, t.whole, t.measure), share(a.amount, t.whole, t.measure)),
		cmp.Compare(a.function, b.function), cmp.Compare(a.frame.line, b.frame.line), cmp.Compare(a.mark, b.mark))
}

func (t *callerTree) line(c *caller, level int) line {
	const indent = 2
	left := fmt.Sprintf("%7.1f  %s", 100*share(c.amount, t.whole, t.measure), strings.Repeat(" ", indent*min(level, t.width/(4*indent))))
	room := max(0, t.width-len(left))
	l := named(c.mark, "", room, faint)
	if c.mark == "" {
		l = t.named(&c.frame, room, map[bool]style{true: strong}[len(t.lines) == 0])
	}
	l.spans = append([]span{{left, plain}}, l.spans...)
	return l
}

// named returns a frame's function with its place, and a mark if it is a guess.
func (d *data) named(f *frame, room int, looks style) line {
	guess := ""
	if f.guess {
		guess = " (guess)"
	}
	l := named(d.functions[f.function].name, d.place(f), max(0, room-len(guess)), looks)
	l.spans = append(l.spans, span{guess, warning})
	return l
}
