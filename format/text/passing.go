package text

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// maxPassing is the maximum width, in columns, of a name in a line of several frames.
const maxPassing = 30

// passing returns the frames at the start of a stack that share a line in a tree of
// samples: frames of libraries that each only call the next. It returns at
// least one frame.
func (p *printer) passing(stack []*profile.Node, at words.Position) []*profile.Node {
	n := 1
	if p.Places || p.IsInverted() && at.Depth == 0 {
		return stack[:n]
	}
	for n < len(stack) && kindOf(stack[n-1]) == library && kindOf(stack[n]) == library && onlyCalls(stack[n-1], stack[n]) {
		n++
	}
	return stack[:n]
}

// onlyCalls reports whether all samples of a node are in other, a node below it.
func onlyCalls(n, other *profile.Node) bool { return n.Self == 0 && n.Count == other.Count }

// width returns the number of columns that a line with several frames may have.
func (p *printer) width() int {
	if p.Width == 0 {
		return words.SummaryColumns
	}
	return p.Width
}

// frames writes the line of a frame, or of several that share one. It returns their number.
func (p *printer) frames(run []*profile.Node, at words.Position) int {
	if len(run) == 1 {
		p.frame(run[0], at)
	} else {
		p.Line("%s", p.passage(run, at))
	}
	return len(run)
}

// passage returns the line of several frames: all names, each image after its last
// one. If these do not fit, it has only the first and the last name.
func (p *printer) passage(run []*profile.Node, at words.Position) string {
	arrow := " → "
	if p.IsInverted() {
		arrow = " ← "
	}
	lead, marks := p.weight(run[0])+p.Indent(at)+p.Number(at), p.Marks(run[len(run)-1])
	if line := lead + p.each(run, arrow) + marks; words.Columns(line) <= p.width() {
		return line
	}
	return lead + p.run(run, arrow, p.width()-words.Columns(lead+marks)) + marks
}

// each returns the names of all frames in run, with their images.
func (p *printer) each(run []*profile.Node, arrow string) string {
	var text strings.Builder
	for i, n := range run {
		if i > 0 {
			text.WriteString(arrow)
		}
		text.WriteString(p.Name(words.Narrow(p.Function(n.Location), maxPassing)))
		if i == len(run)-1 || run[i+1].Image != n.Image {
			text.WriteString(imageMark(n))
		}
	}
	return text.String()
}
