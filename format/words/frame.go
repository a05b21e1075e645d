package words

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

// Position is where a frame's line stands.
type Position struct {
	Depth    int  // frames that are its callers
	Level    int  // lines above it in the tree, which is its column
	Numbered bool // frames were folded above, so that the column does not tell the depth
}

// In is the position n frames and as many levels further in.
func (at Position) In(n int) Position {
	at.Depth += n
	at.Level += n
	return at
}

func (p *Printer) Indent(at Position) string { return blanks[:2+2*min(at.Level, p.levels())] }

// Number counts from 1, the outermost frame, or of a tree that was turned the innermost.
func (p *Printer) Number(at Position) string {
	if at.Level < p.levels() && !at.Numbered {
		return ""
	}
	return "#" + Count(at.Depth+1) + " "
}

// IsInverted reports whether the innermost frames are the roots.
func (p *Printer) IsInverted() bool { return p.Profile.View != nil && p.Profile.View.Inverted }

// ChainOf follows n inward for as long as each frame has one callee and no end.
func ChainOf(n *profile.Node) []*profile.Node {
	chain := []*profile.Node{n}
	for len(n.Children) == 1 && n.Children[0].Count == n.Count {
		n = n.Children[0]
		chain = append(chain, n)
	}
	return chain
}

// FoldedText says what a line stands for that is no frame.
func FoldedText(f *profile.Folded) string {
	if f.Branches == 1 {
		return "… " + Plural(f.Nodes, "more frame")
	}
	return fmt.Sprintf("… %s in %s branches", Plural(f.Nodes, "more frame"), Count(f.Branches))
}

// place names the function, or else as much as is known of where it is.
func (p *Printer) place(n *profile.Node) string { return p.placeOf(n, p.Function(n.Location)) }

// Function names a function, in not too many columns.
func (p *Printer) Function(l profile.Location) string {
	name := "???"
	if l.Function != "" {
		name = p.Shown(l.Function)
	}
	if l.Kernel {
		name += KernelMark
	}
	return name
}

// Shown makes the name of a function fit for a line of a report: shortened if the printer
// shortens names, without control characters, and at most maxName long.
func (p *Printer) Shown(name string) string {
	if p.short {
		name = shorten(name)
	}
	return Clean(name, maxName)
}

// ImageName is imageLabel in a report for people.
func ImageName(im *profile.Image) string {
	if name := im.Name(); isCommand(name) {
		return Quoted(name)
	}
	return ImageLabel(im)
}

// offsets and addresses of a merged node name two places, as sample does.
func offsets(n *profile.Node) string {
	return several(strconv.FormatUint(n.Offset, 10), further(n), func() string {
		return strconv.FormatUint(n.Also[0].Offset, 10)
	})
}

func (p *Printer) addresses(n *profile.Node) string {
	if n.Placeless() {
		return ""
	}
	return " " + p.Faint("["+several(n.PC.String(), further(n), func() string { return n.Also[0].PC.String() })+"]")
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
func (p *Printer) marks(n *profile.Node) string {
	text := ""
	if p.Total > 0 && n.Self > 0 && len(n.Children) > 0 {
		text = "  " + p.selfWord() + " " + Count(n.Self)
	}
	switch {
	case n.By.Guess():
		p.Guessed = true
		return text + "  " + p.Doubt("(guess)")
	case PointerOnly(n):
		p.FpOnly = true
		return text + "  " + p.Doubt("(fp only)")
	}
	return text
}

// PointerOnly tells of a frame that a better method should have found.
func PointerOnly(n *profile.Node) bool {
	return n.By == unwind.ByFramePointer && n.Why != ""
}

// InFull names a function without a place in it.
func (p *Printer) InFull(l profile.Location) string {
	if l.Function == "" && l.Image == nil && !l.Kernel {
		return "??? (code of no file)"
	}
	if l.Function == "" || l.Image == nil {
		return p.place(&profile.Node{Location: l})
	}
	return p.Name(p.Function(l)) + " (" + ImageName(l.Image) + ")"
}

// Split writes on what the time was spent that goes with a node's own samples: of a tree
// that was turned, those of its innermost functions.
func (p *Printer) Split(n *profile.Node) string {
	if p.Total == 0 || p.IsInverted() {
		return ""
	}
	return SplitOf(n.Spent, n.States)
}

// What the marks of frames mean.
const (
	GuessMeans  = "(guess): found by scanning the stack; it may not exist, and callers beside it may be missing"
	FpOnlyMeans = "(fp only): found by the frame pointer alone; a caller may be missing in between"
)
