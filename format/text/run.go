package text

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/words"
)

// runKind is the property that the frames of a run share.
type runKind uint8

const (
	alone   runKind = iota // the frame has a line of its own
	library                // frames outside the program's own code
	kernel                 // frames of the kernel
	unnamed                // frames without a name, of one image
)

// kindOf returns the kind of run that a frame can belong to.
func kindOf(n *profile.Node) runKind {
	switch {
	case !isPlain(n):
		return alone
	case n.Kernel:
		return kernel
	case n.Image == nil:
		return alone
	case n.Function == "":
		return unnamed
	case owncode.Is(&n.Location):
		return alone
	}
	return library
}

// isPlain reports whether there is nothing to say about a frame but its function and image.
func isPlain(n *profile.Node) bool {
	return !n.By.Guess() && !words.PointerOnly(n) && n.Cut == nil && n.Folded == nil &&
		n.Recursion < 2 && n.Function != profile.Trampoline
}

// runs divides a stack, outermost frame first, into runs of frames that share a line.
// Each frame of own code has a line of its own. Other frames share a line if they are
// of one kind and have the same samples.
func runs(stack []*profile.Node) (lines [][]*profile.Node) {
	for len(stack) > 0 {
		n, kind := 1, kindOf(stack[0])
		for kind != alone && n < len(stack) && kindOf(stack[n]) == kind && onlyCalls(stack[n-1], stack[n]) &&
			(kind != unnamed || stack[n].Image == stack[0].Image) {
			n++
		}
		lines, stack = append(lines, stack[:n]), stack[n:]
	}
	return lines
}

// leastRunName is the minimum width of each name in a run, in columns.
const leastRunName = 20

// run returns one line for several frames: the first and the last name, with their
// images, and the number of frames. It has at most room columns, as far as names can
// be shortened.
func (p *printer) run(frames []*profile.Node, arrow string, room int) string {
	first, last := frames[0], frames[len(frames)-1]
	if first.Function == "" && last.Function == "" {
		return p.Faint("… "+words.Plural(len(frames), "frame")+" without names") + imageMark(first)
	}
	from, to, count := "", imageMark(last), ""
	if first.Image != last.Image {
		from = imageMark(first)
	}
	if len(frames) > 2 {
		arrow, count = " … ", ", "+words.Plural(len(frames), "frame")
	}
	room -= words.Columns(to + arrow + count)
	if room-words.Columns(from) < 2*leastRunName {
		from = ""
	}
	a, b := p.bothIn(first, last, room-words.Columns(from))
	return a + from + arrow + b + to + count
}

func imageMark(n *profile.Node) string {
	if n.Image == nil {
		return ""
	}
	return " (" + words.ImageName(n.Image) + ")"
}

// bothIn returns the names of two functions, shortened to fit into room columns
// together.
func (p *printer) bothIn(first, last *profile.Node, room int) (a, b string) {
	a, b = p.Function(first.Location), p.Function(last.Location)
	each := max(room/2, leastRunName)
	forA, forB := max(each, room-words.Columns(b)), max(each, room-words.Columns(a))
	return p.Name(nameIn(a, forA)), p.Name(nameIn(b, forB))
}

// nameIn returns a name, shortened to room columns.
func nameIn(name string, room int) string {
	if name = words.Narrow(name, room); words.Columns(name) > room {
		name = words.Elide(name, room-1)
	}
	return name
}
