package top

import (
	"fmt"
	"slices"

	"stacksnap/format/words"
)

func (s *state) stackPane(d *data, width, height int) []line {
	if s.through && s.function >= 0 && int(s.function) < len(d.functions) {
		title, lines := s.callersPane(d, width)
		return s.scrolled(s.headingLine(stackPane, title, "called by the lines below", width), lines, height, false)
	}
	st, title := s.shownStack(d)
	frames := s.frameLines(d, st, width)
	note := ""
	if s.outward {
		slices.Reverse(frames)
		note = "outermost first"
	}
	return s.scrolled(s.headingLine(stackPane, "  STACK  "+title, note, width), frames, height, s.outward)
}

// scrolled returns a heading and the lines below it that are scrolled to; at first the last ones if
// fromEnd is set.
func (s *state) scrolled(heading line, lines []line, height int, fromEnd bool) []line {
	room := max(0, height-1)
	s.scroll = min(s.scroll, max(0, len(lines)-room))
	first := s.scroll
	if fromEnd {
		first = max(0, len(lines)-room-s.scroll)
	}
	return append([]line{heading}, lines[first:min(len(lines), first+room)]...)
}

// shownStack returns the stack to show, and its title.
func (s *state) shownStack(d *data) (*stack, string) {
	t, ok := s.chosen(d)
	if !ok {
		return none, ""
	}
	title := "thread " + t.label
	if t.name != "" {
		title += " " + t.name
	}
	if t.runs != "" {
		title += ", " + t.runs
	}
	if state := known(t.state); state != "" {
		title += ", " + state
	}
	if t.wait != "" {
		title += ", " + t.wait
	}
	return t.stack, title
}

// frameLines returns the frames of a stack, innermost first.
func (s *state) frameLines(d *data, st *stack, width int) []line {
	if len(st.frames) == 0 {
		return []line{text("  no frame is known", faint)}
	}
	var lines []line
	number := 0
	for i, f := range st.frames {
		if i == maxFrames/2 && st.left > 0 {
			lines = append(lines, text(fmt.Sprintf("      … %d frames", st.left), faint))
			number += st.left
		}
		left := fmt.Sprintf("%5d ", number)
		l := d.named(&f, max(0, width-len(left)), plain)
		l.spans = append([]span{{left, faint}}, l.spans...)
		lines = append(lines, l)
		number++
	}
	if st.cut != "" {
		lines = append(lines, text(words.Fit("      <stack cut here: "+st.cut+">", width), warning))
	}
	return lines
}
