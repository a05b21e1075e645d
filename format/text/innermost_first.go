package text

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// maxStack is the maximum number of lines of a stack on the first screen, which has
// to have room for other things.
const maxStack = 9

// innermostFirst writes a stack, innermost frame first, in at most [maxStack] lines.
// It omits addresses, and the frames in which the thread only started.
func (p *printer) innermostFirst(stack []*profile.Node) {
	most, cut := maxStack, stack[0].Cut
	if cut != nil {
		most--
	}
	lines := runs(stack[startupLen(stack):])
	slices.Reverse(lines)
	shown := lines
	if len(lines) > most {
		shown = lines[:most-1]
	}
	for _, line := range shown {
		p.innerLine(line)
	}
	if rest := slices.Concat(lines[len(shown):]...); len(rest) > 0 {
		p.Line("%s  %s", p.weight(stack[0]), p.Faint("… "+words.Plural(len(rest), "more caller")+", see the tree"))
	}
	if cut != nil {
		p.Line("%s  %s", p.weight(stack[0]), p.cutHere(cut))
	}
}

// innerLine writes the line of a frame, or of several that share one.
func (p *printer) innerLine(run []*profile.Node) {
	innermost := run[len(run)-1]
	lead := p.weight(innermost) + "  "
	if len(run) == 1 {
		p.Fitted(lead, innermost, "")
		return
	}
	inward := slices.Clone(run)
	slices.Reverse(inward)
	marks := p.Marks(innermost)
	p.Line("%s%s%s", lead, p.run(inward, " ← ", p.width()-words.Columns(lead+marks)), marks)
}
