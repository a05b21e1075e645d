package words

import (
	"fmt"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/unwind"
)

// maxIndent is the deepest level with indentation of its own. Deeper frames have a number
// instead: with two columns for each level, the 10,000 frames of a runaway recursion would
// take 100 MB of blanks.
const maxIndent = 60

var blanks = strings.Repeat(" ", 2+2*maxIndent)

// Position is the position of a frame's line in a tree.
type Position struct {
	Depth    int  // number of the frame's callers
	Level    int  // level of indentation
	Numbered bool // print the depth, as folded frames make it differ from the level
}

// In returns the position n frames and n levels further inwards.
func (at Position) In(n int) Position {
	at.Depth += n
	at.Level += n
	return at
}

func (p *Printer) Indent(at Position) string { return blanks[:2+2*min(at.Level, p.levels())] }

// Number returns the number of a frame, counted from 1 at the root of the tree; empty if
// the indentation shows it.
func (p *Printer) Number(at Position) string {
	if at.Level < p.levels() && !at.Numbered {
		return ""
	}
	return "#" + Count(at.Depth+1) + " "
}

// IsInverted reports whether the tree begins with the innermost frames.
func (p *Printer) IsInverted() bool { return p.Profile.View != nil && p.Profile.View.Inverted }

// ChainOf returns the nodes from n inwards as long as each has one child with the same
// count.
func ChainOf(n *profile.Node) []*profile.Node {
	chain := []*profile.Node{n}
	for len(n.Children) == 1 && n.Children[0].Count == n.Count {
		n = n.Children[0]
		chain = append(chain, n)
	}
	return chain
}

// FoldedText describes a node that replaces folded branches.
func FoldedText(f *profile.Folded) string {
	if f.Branches == 1 {
		return "… " + Plural(f.Nodes, "more frame")
	}
	return fmt.Sprintf("… %s in %s branches", Plural(f.Nodes, "more frame"), Count(f.Branches))
}

// place describes the place of a frame: its function, or as much as is known.
func (p *Printer) place(n *profile.Node) string { return p.placeOf(n, p.Function(n.Location)) }

// Function returns the name of a function, shortened.
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

// functionIn is Function in at most room columns, as far as [Narrow] can.
func (p *Printer) functionIn(l profile.Location, room int) string {
	if l.Function == "" {
		return p.Function(l)
	}
	mark := ""
	if l.Kernel {
		mark = KernelMark
	}
	return Clean(Narrow(l.Function, room-len(mark)), maxName) + mark
}

// Shown returns the name of a function for a line of a report: without control characters,
// at most maxName runes, and shortened if the printer shortens names.
func (p *Printer) Shown(name string) string {
	if p.short {
		name = shorten(name)
	}
	return Clean(name, maxName)
}

// ImageName is ImageLabel for reports for people: it names the main program as it was started.
func ImageName(im *profile.Image) string {
	if im.KnownAs != "" {
		return Word(im.KnownAs, MaxText)
	}
	if name := im.Name(); isCommand(name) {
		return Quoted(name)
	}
	return ImageLabel(im)
}

// offsets, like addresses, lists at most two places of a merged node, as sample(1) does.
func offsets(n *profile.Node) string {
	return several(strconv.FormatUint(n.Offset, 10), further(n), func() string {
		return strconv.FormatUint(n.Also[0].Offset, 10)
	})
}

func (p *Printer) addresses(n *profile.Node) string {
	if n.Placeless() || !p.Places || n.Image != nil && n.Image.Runtime {
		return ""
	}
	return " " + p.Faint("["+several(n.PC.String(), further(n), func() string { return n.Also[0].PC.String() })+"]")
}

// further returns the number of addresses of a node beside its own; at least, if some are
// unknown.
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

// recursion describes how deep a function called itself; empty if it did not.
func recursion(n *profile.Node) string {
	switch n.Recursion {
	case 0, 1:
		return ""
	case profile.DeepRecursion:
		return fmt.Sprintf(" (recursive, up to %d deep or more)", n.Recursion)
	}
	return fmt.Sprintf(" (recursive, up to %d deep)", n.Recursion)
}

func source(n *profile.Node) string {
	if n.File == "" {
		return ""
	}
	return fmt.Sprintf("  %s:%d", base(n.File), n.Line)
}

// sourceLine returns the source file and line of a location in parentheses; "" if not known.
func sourceLine(l *profile.Location) string {
	if l.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", base(l.File), l.Line)
}

// Marks returns what follows a frame: its own samples, and that it is doubtful.
func (p *Printer) Marks(n *profile.Node) string {
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

// PointerOnly reports whether only the frame pointer found a frame that a better method
// should have found.
func PointerOnly(n *profile.Node) bool {
	return n.By == unwind.ByFramePointer && n.Why != ""
}

// InFull returns the name of a function with its image, without an offset.
func (p *Printer) InFull(l profile.Location) string {
	if l.Function == "" && l.Image == nil && !l.Kernel {
		return "??? (code of no file)"
	}
	if l.Function == "" || l.Image == nil {
		return p.place(&profile.Node{Location: l})
	}
	return p.Name(p.Function(l)) + " (" + ImageName(l.Image) + ")"
}

// Split returns how the time of a node's own samples was spent; empty in an inverted tree, and
// without [Options.Addresses].
func (p *Printer) Split(n *profile.Node) string {
	if p.Total == 0 || !p.Places || p.IsInverted() {
		return ""
	}
	return SplitOf(n.Spent, n.States)
}

// The explanations of the marks.
const (
	GuessMeans  = "(guess): found by scanning the stack; it may not exist, and callers beside it may be missing"
	FpOnlyMeans = "(fp only): found by the frame pointer alone; a caller may be missing in between"
)
