package top

import (
	"fmt"
	"slices"

	"stacksnap/format/words"
)

func (s *state) stackPane(d *data, width, height int) []line {
	st, title := s.shownStack(d)
	lines := []line{s.headingLine(stackPane, "  STACK  "+title, map[bool]string{true: "outermost first", false: ""}[s.outward], width)}
	frames := s.frameLines(d, st, width)
	if s.outward {
		slices.Reverse(frames)
	}
	room := max(0, height-1)
	s.scroll = min(s.scroll, max(0, len(frames)-room))
	first := s.scroll
	if s.outward { // scrolled to the innermost frames at first
		first = max(0, len(frames)-room-s.scroll)
	}
	return append(lines, frames[first:min(len(frames), first+room)]...)
}

// shownStack returns the stack to show, and its title.
func (s *state) shownStack(d *data) (*stack, string) {
	if s.through && s.function >= 0 && int(s.function) < len(d.functions) {
		w := d.window(windows[s.window])
		best, share := w.heaviest(s.function, s.threadOnly(d), s.measure)
		if best != nil {
			return best, fmt.Sprintf("heaviest with %s: %.1f%%", d.functions[s.function].name, 100*share)
		}
		return none, fmt.Sprintf("none with %s in this time", d.functions[s.function].name)
	}
	t, ok := s.chosen(d)
	if !ok {
		return none, ""
	}
	title := "thread " + t.label
	if t.name != "" {
		title += " " + t.name
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
		fn := d.functions[f.function]
		looks := plain
		if f.function == s.function && s.through {
			looks = strong
		}
		left := fmt.Sprintf("%5d ", number)
		guess := ""
		if f.guess {
			guess = " (guess)"
		}
		l := named(fn.name, fn.file, max(0, width-len(left)-len(guess)), looks)
		l.spans = append(append([]span{{left, faint}}, l.spans...), span{guess, warning})
		lines = append(lines, l)
		number++
	}
	if st.cut != "" {
		lines = append(lines, text(words.Fit("      <stack cut here: "+st.cut+">", width), warning))
	}
	return lines
}
