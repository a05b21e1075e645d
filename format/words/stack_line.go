package words

import (
	"slices"
	"strings"

	"stacksnap/format/profile"
)

// SummaryColumns are the most of a line.
const SummaryColumns = 100

// The bounds of a stack in a line.
const (
	maxStack     = 6  // frames
	maxStackName = 44 // columns of one
	sampleRoom   = 10 // columns in front of a stack of many snapshots, and of one
	threadRoom   = 22
)

// StackLine writes stacks in a line each.
type StackLine struct {
	Printer
	Guess bool // a frame was shown that may not exist
}

// NewStackLine returns one for lines of so many columns.
func NewStackLine(p *profile.Profile, width int) StackLine {
	return StackLine{Printer: Printer{Profile: p, palette: newPalette(false), short: true, Width: width}}
}

// Stack writes the innermost frames of a stack that is given from the outermost in, as
// many as fit, and those of the program's own code: from these on, no others.
func (b *StackLine) Stack(path []*profile.Node) string {
	if len(path) == 0 {
		return "no stack"
	}
	var outer, own []string // the innermost frames, and from the first of its own on
	for i := len(path) - 1; i >= 0 && len(own) < maxStack; i-- {
		switch n := path[i]; {
		case n.Function == "_start": // as every program
		case isOwn(n):
			own = b.appendFrame(own, n)
		case len(own) == 0:
			outer = b.appendFrame(outer, n)
		}
	}
	if len(outer)+len(own) == 0 {
		outer = b.appendFrame(nil, path[0])
	}
	room := b.Width - threadRoom
	if b.Profile.Sampled() {
		room = b.Width - sampleRoom
	}
	all := slices.Concat(outer, own)
	if n := fitting(all, room); len(own) == 0 || n > len(outer) {
		return joined(all[:n])
	}
	first := outer[0] + arrow + "…" + arrow // what is between is left out
	return first + joined(own[:fitting(own, room-Columns(first))])
}

// isOwn reports whether a frame is of the program itself, and has a name.
func isOwn(n *profile.Node) bool { return n.Image != nil && n.Image.Main && n.Function != "" }

// appendFrame adds the name of a frame. A recursion is told once.
func (b *StackLine) appendFrame(names []string, n *profile.Node) []string {
	const again = " (recursive)"
	name := b.frameName(n)
	if last := len(names) - 1; last >= 0 && strings.TrimSuffix(names[last], again) == name {
		names[last] = name + again
		return names
	}
	return append(names, name)
}

// fitting is how many of the first names fit into so many columns, at least one.
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

// frameName names the function of a frame in few columns.
func (b *StackLine) frameName(n *profile.Node) string {
	name := Elide(b.plainName(n.Location), maxStackName)
	if n.By.Guess() {
		b.Guess = true
		name += " (guess)"
	}
	return name
}

const goShape = "[go.shape."

// plainName names a function, or what there is in its place.
func (b *StackLine) plainName(l profile.Location) string {
	switch {
	case strings.Contains(l.Function, goShape): // what Go's generics are made for
		name, _, _ := strings.Cut(l.Function, goShape)
		return b.Shown(name) + "[…]"
	case l.Function != "":
		return b.Function(l)
	case l.Image != nil:
		return b.Function(l) + " (" + ImageName(l.Image) + ")"
	}
	return b.Function(l)
}
