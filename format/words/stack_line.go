package words

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// SummaryColumns is the longest line of a summary.
const SummaryColumns = 100

// The limits of a stack in one line.
const (
	maxStack     = 6  // most frames shown
	maxStackName = 44 // most columns of a name
	sampleRoom   = 10 // columns in front of a stack, for many snapshots and for one
	threadRoom   = 22
)

// StackLine formats a stack in one line.
type StackLine struct {
	Printer
	Guess bool // a frame that may not exist was shown
}

// NewStackLine returns a StackLine for lines that fit into width columns, 0 for any number, and
// into SummaryColumns.
func NewStackLine(p *profile.Profile, width int) StackLine {
	if width <= 0 || width > SummaryColumns {
		width = SummaryColumns
	}
	return StackLine{Printer: Printer{Profile: p, palette: newPalette(false), short: true, Width: width}}
}

// Stack formats a stack: as many of the innermost frames as fit, and the program's own frames,
// the first of them with its line. Outward from the first own frame, it shows only own frames.
// path begins with the outermost frame.
func (b *StackLine) Stack(path []*profile.Node) string {
	if len(path) == 0 {
		return "no stack"
	}
	outer, own := b.frames(path)
	room := b.Width - threadRoom
	if b.Profile.Sampled() {
		room = b.Width - sampleRoom
	}
	all := slices.Concat(outer, own)
	if n := fitting(all, room); len(own) == 0 || n > len(outer) {
		return joined(all[:n])
	}
	first := outer[0] + arrow + "…" + arrow // leave out what is in between
	return first + joined(own[:fitting(own, room-Columns(first))])
}

// Place describes where a thread is: the innermost of the program's own functions, with its line
// and as many callers as fit into room columns, or the innermost of all functions. Neither the
// function nor its line is cut: the line comes below if both don't fit.
func (b *StackLine) Place(path []*profile.Node, room int) []string {
	own := owncode.Innermost(path)
	if own == nil {
		frames, _ := b.frames(path)
		return []string{"in " + joined(frames[:fitting(frames, room-len("in "))])}
	}
	line := sourceLine(&own.Location)
	name := "in " + b.nameIn(own, room-len("in ")-Columns(line))
	if Columns(name+line) > room && line != "" {
		return []string{"in " + b.nameIn(own, room-len("in ")), strings.TrimSpace(line)}
	}
	_, callers := b.frames(path)
	callers[0] = name + line
	return []string{joined(callers[:fitting(callers, room)])}
}

// frames returns the names of the frames inside the program's own, and those of the program's
// own, the first with its line, both from the innermost outwards.
func (b *StackLine) frames(path []*profile.Node) (outer, own []string) {
	var nearest *profile.Node // innermost own frame
	for i := len(path) - 1; i >= 0 && len(own) < maxStack; i-- {
		switch n := path[i]; {
		case n.Function == "_start": // in every program
		case owncode.Is(&n.Location):
			own, nearest = b.appendFrame(own, n), cmp.Or(nearest, n)
		case len(own) == 0:
			outer = b.appendFrame(outer, n)
		}
	}
	if nearest != nil {
		own[0] += sourceLine(&nearest.Location)
	}
	if len(outer)+len(own) == 0 {
		outer = b.appendFrame(nil, path[0])
	}
	return outer, own
}

// appendFrame appends the name of a frame. A recursion is listed once.
func (b *StackLine) appendFrame(names []string, n *profile.Node) []string {
	const again = " (recursive)"
	name := b.frameName(n)
	if last := len(names) - 1; last >= 0 && strings.TrimSuffix(names[last], again) == name {
		names[last] = name + again
		return names
	}
	return append(names, name)
}

// fitting returns the number of names that fit into room columns, at least one.
func fitting(names []string, room int) int {
	for n := min(maxStack, len(names)); n > 1; n-- {
		if Columns(joined(names[:n])) <= room {
			return n
		}
	}
	return min(1, len(names))
}

const arrow = " ← "

func joined(names []string) string { return strings.Join(names, arrow) }

// frameName returns the name of a frame's function, in few columns.
func (b *StackLine) frameName(n *profile.Node) string { return b.nameIn(n, maxStackName) }

func (b *StackLine) nameIn(n *profile.Node, room int) string {
	name := Narrow(b.plainName(n.Location), room)
	if n.By.Guess() {
		b.Guess = true
		name += " (guess)"
	}
	return name
}

const goShape = "[go.shape."

// plainName returns the name of a function, or a description if it has none.
func (b *StackLine) plainName(l profile.Location) string {
	switch {
	case strings.Contains(l.Function, goShape): // type arguments of Go's generics
		name, _, _ := strings.Cut(l.Function, goShape)
		return b.Shown(name) + "[…]"
	case l.Function != "":
		return b.Function(l)
	case l.Image != nil:
		return b.Function(l) + " (" + ImageName(l.Image) + ")"
	}
	return b.Function(l)
}
