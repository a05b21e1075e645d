package text

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/words"
)

// The bounds of the table.
const (
	maxChanged    = 20 // functions
	changeColumns = 9  // of each number
)

// numbers writes both sides and the change between them in columns.
func (p *diffPrinter) numbers(a diff.Amount) string {
	before, after := p.Sides(a)
	change := fmt.Sprintf("%*s", changeColumns, p.ChangeText(a))
	switch {
	case strings.Contains(change, "+"):
		change = p.Grown(change)
	case strings.Contains(change, "-"):
		change = p.Shrunk(change)
	}
	return fmt.Sprintf("%*s%*s%s", changeColumns, before, changeColumns, after, change)
}

// news marks what is on one side alone.
func (p *diffPrinter) news(a diff.Amount) string {
	switch {
	case a.Before == 0 && a.After != 0:
		return p.Grown("  (new)")
	case a.After == 0 && a.Before != 0:
		return p.Shrunk("  (gone)")
	}
	return ""
}

// table lists the functions by how much their own time has changed.
func (p *diffPrinter) table() {
	var changed []diff.Function
	for _, f := range p.Functions {
		least := max(p.Least, words.Steady) * p.Unit()
		if math.Abs(p.Change(f.Self)) >= least || math.Abs(p.Change(f.Total)) >= least {
			changed = append(changed, f)
		}
	}
	p.Line("")
	if len(changed) == 0 {
		p.Line("No function has changed%s.", p.atLeast())
		return
	}
	p.Text("", 2, "Functions that changed"+p.atLeast()+", those first whose own time (self) did most; total is with what they called:")
	head := fmt.Sprintf("%*s%*s%*s", changeColumns, "before", changeColumns, "after", changeColumns, "change")
	p.Line("%s%s", p.Faint(fmt.Sprintf("%*s", 3*changeColumns, "self ")), p.Faint(fmt.Sprintf("%*s", 3*changeColumns, "total ")))
	p.Line("%s", p.Faint(head+head+"  function"))
	for i, f := range changed {
		if i == maxChanged {
			p.Line("%*s", changeColumns, "… "+words.Plural(len(changed)-i, "more function"))
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
	line := lead + p.Called(n, false) + end
	if p.Over(line) > 0 {
		line = lead + p.Called(n, true) + end
	}
	if over := p.Over(line); over > 0 && n.Function != "" {
		name := p.Function(n.Location)
		line = lead + p.Name(words.Elide(name, max(utf8.RuneCountInString(name)-over-1, words.LeastName))) + end
	}
	p.Line("%s", line)
}

// trees writes the trees of both sides in one.
func (p *diffPrinter) trees() {
	for _, t := range p.Comparison.Shown() {
		p.Line("")
		p.Text("", 2, p.Title(t))
		p.Line("%s", p.Faint(fmt.Sprintf("%*s%*s%*s", changeColumns, "before", changeColumns, "after", changeColumns, "change")))
		skipped := p.trunk(t)
		for depth, n := range t.Nodes() {
			if depth >= skipped {
				p.branch(depth-skipped, n)
			}
		}
	}
	if p.Guessed {
		p.Line("")
		p.Text("", 2, "(guess): found by scanning the stack, on one side at least; it may not exist")
	}
	if p.Least > 0 {
		p.Line("")
		p.Text("", 2, fmt.Sprintf("Branches in which nothing changed by %g %% are folded into a line; --min 0.001%% shows more.", p.Least))
	}
}

// leastTrunk is from how many frames on those are not shown that all stacks have.
const leastTrunk = 4

// trunk writes a line for the outermost frames that all stacks share and in which nothing
// has changed, but for the last one, and returns how many it stands for.
func (p *diffPrinter) trunk(t *diff.Tree) (skipped int) {
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
	p.named(p.numbers(root.Total)+"  "+p.Faint("… "+words.Plural(skipped, "frame")+" that all stacks have, from "), root.Node, "")
	return skipped
}

func (p *diffPrinter) isTrunk(n *diff.Node) bool {
	return p.ChangeText(n.Total) == "=" && n.Cut == nil && n.Folded == nil && n.Self == (diff.Amount{}) && len(n.Children) == 1
}

// branch writes the line of one node.
func (p *diffPrinter) branch(depth int, n *diff.Node) {
	at := words.Position{Depth: depth, Level: depth}
	lead := p.numbers(n.Total) + p.Indent(at) + p.Number(at)
	if f := n.Folded; f != nil {
		p.Line("%s%s", lead, p.Faint(words.FoldedText(f)))
		return
	}
	if n.Cut != nil {
		lead += p.Cut("<"+words.Clean(n.Cut.Reason.String(), words.MaxText)+">") + " "
	}
	end := p.news(n.Total)
	if n.By.Guess() {
		p.Guessed = true
		end = "  " + p.Doubt("(guess)") + end
	}
	if len(n.Children) > 0 && p.ChangeText(n.Self) != "=" {
		end += "  self " + p.ChangeText(n.Self)
	}
	p.named(lead, n.Node, end)
}
