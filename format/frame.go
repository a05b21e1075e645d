package format

import (
	"fmt"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/unwind"
)

// maxIndent is the level from which on frames stay in their column and bear
// their number instead: at two columns a level, the 10,000 frames of a runaway
// recursion would be 100 MB of blanks.
const maxIndent = 60

var blanks = strings.Repeat(" ", 2+2*maxIndent)

// position is where a frame's line stands.
type position struct {
	depth    int  // frames that are its callers
	level    int  // lines above it in the tree, which is its column
	numbered bool // frames were folded above, so that the column does not tell the depth
}

// in is the position n frames and as many levels further in.
func (at position) in(n int) position {
	at.depth += n
	at.level += n
	return at
}

func (p *printer) indent(at position) string { return blanks[:2+2*min(at.level, p.levels())] }

// number counts from 1, the outermost frame, or of a tree that was turned the innermost.
func (p *printer) number(at position) string {
	if at.level < p.levels() && !at.numbered {
		return ""
	}
	return "#" + count(at.depth+1) + " "
}

// root writes the tree below an outermost frame, under a line of its own where
// the callers are missing.
func (p *printer) root(n *profile.Node) {
	var at position
	if n.Cut != nil && !p.inverted() {
		p.line("%s%s%s", p.weight(n), p.indent(at), p.cutHere(n.Cut))
		at.level++
	}
	p.branch(n, at)
}

func (p *printer) cutHere(c *profile.Cut) string {
	return p.cut("<stack cut here: " + clean(c.String(), maxText) + ">")
}

// inverted tells whether the innermost frames are the roots.
func (p *printer) inverted() bool { return p.profile.View != nil && p.profile.View.Inverted }

// branch writes n and all below it.
func (p *printer) branch(n *profile.Node, at position) {
	chain := chainOf(n)
	for i := 0; i < len(chain); {
		if c := findCycle(chain[i:]); c.period > 0 {
			at = p.cycle(chain[i:i+c.length], c.period, at)
			i += c.length
			continue
		}
		p.frame(chain[i], at)
		at = at.in(1)
		i++
	}
	for _, child := range chain[len(chain)-1].Children {
		p.branch(child, at)
	}
}

// chainOf follows n inward for as long as each frame has one callee and no end.
func chainOf(n *profile.Node) []*profile.Node {
	chain := []*profile.Node{n}
	for len(n.Children) == 1 && n.Children[0].Count == n.Count {
		n = n.Children[0]
		chain = append(chain, n)
	}
	return chain
}

// frame writes one line.
func (p *printer) frame(n *profile.Node, at position) {
	lead := p.weight(n) + p.indent(at)
	if f := n.Folded; f != nil {
		p.line("%s%s%s", lead, p.faint(foldedText(f)), p.split(n))
		return
	}
	split := p.split(n)
	if at.depth == 0 && p.total > 0 && p.inverted() {
		split = splitOf(n.Spending())
	}
	p.fitted(lead+p.number(at), n, split)
	if n.Cut != nil && p.inverted() {
		p.line("%s%s%s", p.weight(n), p.indent(at.in(1)), p.cutHere(n.Cut))
	}
}

// foldedText says what a line stands for that is no frame.
func foldedText(f *profile.Folded) string {
	if f.Branches == 1 {
		return "… " + plural(f.Nodes, "more frame")
	}
	return fmt.Sprintf("… %s in %s branches", plural(f.Nodes, "more frame"), count(f.Branches))
}

// weight is the share of the samples that a line stands for.
func (p *printer) weight(n *profile.Node) string {
	if p.total == 0 {
		return ""
	}
	return fmt.Sprintf("%8s %5.1f %%", count(n.Count), 100*float64(n.Count)/float64(p.total))
}

// place names the function, or else as much as is known of where it is.
func (p *printer) place(n *profile.Node) string { return p.placeOf(n, p.function(n.Location)) }

// function names a function, in not too many columns.
func (p *printer) function(l profile.Location) string {
	name := "???"
	if l.Function != "" {
		name = p.shown(l.Function)
	}
	if l.Kernel {
		name += kernelMark
	}
	return name
}

// shown is the name of a function as a report has it.
func (p *printer) shown(name string) string {
	if p.short {
		name = shorten(name)
	}
	return clean(name, maxName)
}

// imageName is imageLabel in a report for people.
func imageName(im *profile.Image) string {
	if name := im.Name(); isCommand(name) {
		return quoted(name)
	}
	return imageLabel(im)
}

// offsets and addresses of a merged node name two places, as sample does.
func offsets(n *profile.Node) string {
	return several(strconv.FormatUint(n.Offset, 10), further(n), func() string {
		return strconv.FormatUint(n.Also[0].Offset, 10)
	})
}

func (p *printer) addresses(n *profile.Node) string {
	if n.Placeless() {
		return ""
	}
	return " " + p.faint("["+several(n.PC.String(), further(n), func() string { return n.Also[0].PC.String() })+"]")
}

// further is how many addresses a node has besides its own, at least.
func further(n *profile.Node) int {
	if n.More {
		return len(n.Also) + 1
	}
	return len(n.Also)
}

func several(first string, more int, second func() string) string {
	switch more {
	case 0:
		return first
	case 1:
		return first + "," + second()
	}
	return first + "," + second() + ",..."
}

func source(n *profile.Node) string {
	if n.File == "" {
		return ""
	}
	return fmt.Sprintf("  %s:%d", base(n.File), n.Line)
}

// marks say what to doubt of a frame.
func (p *printer) marks(n *profile.Node) string {
	text := ""
	if p.total > 0 && n.Self > 0 && len(n.Children) > 0 {
		text = "  " + p.selfWord() + " " + count(n.Self)
	}
	switch {
	case n.By.Guess():
		p.guessed = true
		return text + "  " + p.doubt("(guess)")
	case pointerOnly(n):
		p.fpOnly = true
		return text + "  " + p.doubt("(fp only)")
	}
	return text
}

// pointerOnly tells of a frame that a better method should have found.
func pointerOnly(n *profile.Node) bool {
	return n.By == unwind.ByFramePointer && n.Why != ""
}
