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

func (at position) indent() string { return blanks[:2+2*min(at.level, maxIndent)] }

// number counts from 1, the outermost frame.
func (at position) number() string {
	if at.level < maxIndent && !at.numbered {
		return ""
	}
	return "#" + count(at.depth+1) + " "
}

// root writes the tree below an outermost frame, under a line of its own where
// the callers are missing.
func (p *printer) root(n *profile.Node) {
	var at position
	if n.Cut != nil {
		p.line("%s%s%s", p.weight(n), at.indent(), p.cut("<stack cut here: "+clean(n.Cut.String(), maxText)+">"))
		at.level++
	}
	p.branch(n, at)
}

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
	p.line("%s%s%s%s %s%s%s", p.weight(n), at.indent(), at.number(),
		p.place(n), p.faint(addresses(n)), source(n), p.marks(n))
}

// weight is the share of the samples that a line stands for.
func (p *printer) weight(n *profile.Node) string {
	if p.total == 0 {
		return ""
	}
	return fmt.Sprintf("%8s %5.1f %%", count(n.Count), 100*float64(n.Count)/float64(p.total))
}

// place names the function, or else as much as is known of where it is.
func (p *printer) place(n *profile.Node) string {
	function := p.name(p.function(n.Location))
	switch {
	case n.Image == nil:
		return function
	case n.Function == "", n.Function == profile.Trampoline:
		return fmt.Sprintf("%s (%s + 0x%x)", function, imageName(n.Image), n.Offset)
	case n.Inlined:
		return fmt.Sprintf("%s [inlined] (%s)", function, imageName(n.Image))
	}
	return fmt.Sprintf("%s + %s (%s)", function, offsets(n), imageName(n.Image))
}

// function names a function, in not too many columns.
func (p *printer) function(l profile.Location) string {
	if l.Function == "" {
		return "???"
	}
	return p.shown(l.Function)
}

// shown is the name of a function as a report has it.
func (p *printer) shown(name string) string {
	if p.short {
		name = shorten(name)
	}
	return clean(name, maxName)
}

func imageName(im *profile.Image) string {
	if name := im.Name(); name != "" {
		return clean(name, maxText)
	}
	return "image at " + im.Load.String()
}

// offsets and addresses of a merged node name two places, as sample does.
func offsets(n *profile.Node) string {
	return several(strconv.FormatUint(n.Offset, 10), len(n.Also), func() string {
		return strconv.FormatUint(n.Also[0].Offset, 10)
	})
}

func addresses(n *profile.Node) string {
	return "[" + several(n.PC.String(), len(n.Also), func() string { return n.Also[0].PC.String() }) + "]"
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
	var b strings.Builder
	if p.total > 0 && n.Self > 0 && len(n.Children) > 0 {
		fmt.Fprintf(&b, "  self %s", count(n.Self))
	}
	switch {
	case n.By.Guess():
		p.guessed = true
		b.WriteString("  " + p.doubt("(guess)"))
	case pointerOnly(n):
		p.fpOnly = true
		b.WriteString("  " + p.doubt("(fp only)"))
	}
	return b.String()
}

// pointerOnly tells of a frame that a better method should have found.
func pointerOnly(n *profile.Node) bool {
	return n.By == unwind.ByFramePointer && n.Why != ""
}
