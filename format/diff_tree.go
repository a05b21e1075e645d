package format

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"stacksnap/format/profile"
)

// The bounds of the table.
const (
	maxChanged    = 20 // functions
	changeColumns = 9  // of each number
)

// changePaints mark what has grown and what has shrunk.
func changePaints(colored bool) (grown, shrunk paint) {
	if !colored {
		plain := newPalette(false).name
		return plain, plain
	}
	return painter(color.FgRed), painter(color.FgGreen)
}

// numbers writes both sides and the change between them in columns.
func (p *diffPrinter) numbers(a profile.Amount) string {
	before, after := p.sides(a)
	change := fmt.Sprintf("%*s", changeColumns, p.change(a))
	switch {
	case strings.Contains(change, "+"):
		change = p.grown(change)
	case strings.Contains(change, "-"):
		change = p.shrunk(change)
	}
	return fmt.Sprintf("%*s%*s%s", changeColumns, before, changeColumns, after, change)
}

// news marks what is on one side alone.
func (p *diffPrinter) news(a profile.Amount) string {
	switch {
	case a.Before == 0 && a.After != 0:
		return p.grown("  (new)")
	case a.After == 0 && a.Before != 0:
		return p.shrunk("  (gone)")
	}
	return ""
}

// table lists the functions by how much their own time has changed.
func (p *diffPrinter) table() {
	var changed []profile.DiffFunction
	for _, f := range p.Functions {
		least := max(p.Least, steady) * p.unit()
		if math.Abs(p.Change(f.Self)) >= least || math.Abs(p.Change(f.Total)) >= least {
			changed = append(changed, f)
		}
	}
	p.line("")
	if len(changed) == 0 {
		p.line("No function has changed%s.", p.atLeast())
		return
	}
	p.text("", 2, "Functions that changed"+p.atLeast()+", those first whose own time (self) did most; total is with what they called:")
	head := fmt.Sprintf("%*s%*s%*s", changeColumns, "before", changeColumns, "after", changeColumns, "change")
	p.line("%s%s", p.faint(fmt.Sprintf("%*s", 3*changeColumns, "self ")), p.faint(fmt.Sprintf("%*s", 3*changeColumns, "total ")))
	p.line("%s", p.faint(head+head+"  function"))
	for i, f := range changed {
		if i == maxChanged {
			p.line("%*s", changeColumns, "… "+plural(len(changed)-i, "more function"))
			break
		}
		p.named(p.numbers(f.Self)+p.numbers(f.Total)+"  ", f.Node, p.news(f.Total))
	}
}

// atLeast says from which change on it is told of.
func (p *diffPrinter) atLeast() string {
	if p.Least == 0 {
		return ""
	}
	return fmt.Sprintf(" by %g %% or more", p.Least)
}

// named ends a line with a function's name, of which the middle is left out where the
// line is too long.
func (p *diffPrinter) named(lead string, n *profile.Node, end string) {
	line := lead + p.called(n, false) + end
	if p.over(line) > 0 {
		line = lead + p.called(n, true) + end
	}
	if over := p.over(line); over > 0 && n.Function != "" {
		name := p.function(n.Location)
		line = lead + p.name(elide(name, max(utf8.RuneCountInString(name)-over-1, leastName))) + end
	}
	p.line("%s", line)
}

// called names a function, and the image it is in unless that is left out.
func (p *diffPrinter) called(n *profile.Node, short bool) string {
	if n.Image == nil && n.Function != "" || short && n.Function != "" {
		return p.name(p.function(n.Location))
	}
	return p.whole(n.Location)
}

// trees writes the trees of both sides in one.
func (p *diffPrinter) trees() {
	for _, t := range p.Comparison.Shown() {
		p.line("")
		p.text("", 2, p.title(t))
		p.line("%s", p.faint(fmt.Sprintf("%*s%*s%*s", changeColumns, "before", changeColumns, "after", changeColumns, "change")))
		skipped := p.trunk(t)
		for depth, n := range t.Nodes() {
			if depth >= skipped {
				p.branch(depth-skipped, n)
			}
		}
	}
	if p.guessed {
		p.line("")
		p.text("", 2, "(guess): found by scanning the stack, on one side at least; it may not exist")
	}
	if p.Least > 0 {
		p.line("")
		p.text("", 2, fmt.Sprintf("Branches in which nothing changed by %g %% are folded into a line; --min 0.001%% shows more.", p.Least))
	}
}

// leastTrunk is from how many frames on those are not shown that all stacks have.
const leastTrunk = 4

// trunk writes a line for the outermost frames that all stacks share and in which nothing
// has changed, but for the last one, and returns how many it stands for.
func (p *diffPrinter) trunk(t *profile.DiffTree) (skipped int) {
	if p.Least == 0 || len(t.Roots) != 1 {
		return 0
	}
	root := t.Roots[0]
	n := root
	for p.isTrunk(n) && p.isTrunk(n.Children[0]) {
		n = n.Children[0]
		skipped++
	}
	if skipped < leastTrunk {
		return 0
	}
	p.named(p.numbers(root.Total)+"  "+p.faint("… "+plural(skipped, "frame")+" that all stacks have, from "), root.Node, "")
	return skipped
}

func (p *diffPrinter) isTrunk(n *profile.DiffNode) bool {
	return p.change(n.Total) == "=" && n.Cut == nil && n.Folded == nil && n.Self == (profile.Amount{}) && len(n.Children) == 1
}

// branch writes the line of one node.
func (p *diffPrinter) branch(depth int, n *profile.DiffNode) {
	at := position{depth: depth, level: depth}
	lead := p.numbers(n.Total) + p.indent(at) + p.number(at)
	if f := n.Folded; f != nil {
		p.line("%s%s", lead, p.faint(foldedText(f)))
		return
	}
	if n.Cut != nil {
		lead += p.cut("<"+clean(n.Cut.Reason.String(), maxText)+">") + " "
	}
	end := p.news(n.Total)
	if n.By.Guess() {
		p.guessed = true
		end = "  " + p.doubt("(guess)") + end
	}
	if len(n.Children) > 0 && p.change(n.Self) != "=" {
		end += "  self " + p.change(n.Self)
	}
	p.named(lead, n.Node, end)
}

// title says whose the tree is.
func (p *diffPrinter) title(t *profile.DiffTree) string {
	whose := "All threads"
	switch {
	case t.Main:
		whose = "The main thread"
	case p.By == profile.ByThread && t.Name == "":
		whose = "Threads without a name"
	case p.By == profile.ByThread:
		whose = "Threads named " + quoted(t.Name)
	case p.By == profile.ByQueue && t.Name == "":
		whose = "Threads of no dispatch queue"
	case p.By == profile.ByQueue:
		whose = "Threads of DispatchQueue " + quoted(t.Name)
	case p.By == profile.ByState:
		whose = "Threads " + clean(t.Name, maxText)
	}
	text := p.name(whose)
	if p.By != profile.ByProcess && !t.Main {
		text += fmt.Sprintf(" (%s before, %s after)", count(int(t.Threads.Before)), count(int(t.Threads.After)))
	}
	if p.Inverted {
		text += ", the innermost functions first, and below each those that called it"
	}
	return text + ":"
}
