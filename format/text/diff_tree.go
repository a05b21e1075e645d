package text

import (
	"fmt"
	"math"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/words"
)

// The limits of the table.
const (
	maxChanged    = 20 // most functions in the table
	changeColumns = 9  // width of each number
)

// numbers writes both sides and the change between them in columns.
func (p *diffPrinter) numbers(a diff.Amount, change string) string {
	before, after := p.Sides(a)
	change = fmt.Sprintf("%*s", changeColumns, change)
	switch {
	case strings.Contains(change, "+"):
		change = p.Grown(change)
	case strings.Contains(change, "-"):
		change = p.Shrunk(change)
	}
	return fmt.Sprintf("%*s%*s%s", changeColumns, before, changeColumns, after, change)
}

// news returns a mark for an amount that only one side has.
func (p *diffPrinter) news(a diff.Amount) string {
	switch {
	case a.Before == 0 && a.After != 0:
		return p.Grown("  (new)")
	case a.After == 0 && a.Before != 0:
		return p.Shrunk("  (gone)")
	}
	return ""
}

// table writes the table of functions, sorted by the change of their own time.
func (p *diffPrinter) table() {
	changed, noisy := p.changed()
	p.Line("")
	if len(changed) == 0 {
		p.Text("", 2, "No function has changed"+p.atLeast()+p.besides(noisy)+".")
		return
	}
	p.Text("", 2, "Functions that changed"+p.atLeast()+p.besides(noisy)+p.legend(changed)+", those first whose own time (self) did most; total is with what they called:")
	head := fmt.Sprintf("%*s%*s%*s", changeColumns, "before", changeColumns, "after", changeColumns, "change")
	p.Line("%s%s", p.Faint(fmt.Sprintf("%*s", 3*changeColumns, "self ")), p.Faint(fmt.Sprintf("%*s", 3*changeColumns, "total ")))
	p.Line("%s", p.Faint(head+head+"  function"))
	for i, f := range changed {
		if i == maxChanged {
			p.Line("%*s", changeColumns, "… "+words.Plural(len(changed)-i, "more function"))
			break
		}
		self, total := p.Judged(f.Self, f.Margin.Self), p.Judged(f.Total, f.Margin.Total)
		p.named(p.numbers(f.Self, self)+p.numbers(f.Total, total)+"  ", f.Node, p.news(f.Total))
	}
}

// changed returns the functions to list, and how many other functions changed only
// within noise, as far as is known.
func (p *diffPrinter) changed() (list []diff.Function, noisy int) {
	least := max(p.Least, words.Steady) * p.Unit()
	for _, f := range p.Functions {
		switch {
		case math.Abs(p.Change(f.Self)) < least && math.Abs(p.Change(f.Total)) < least:
		case p.Changed(f):
			list = append(list, f)
		default:
			noisy++
		}
	}
	return list, noisy
}

// besides returns a phrase with the number of functions that are left out.
func (p *diffPrinter) besides(noisy int) string {
	if noisy == 0 {
		return ""
	}
	return fmt.Sprintf(" beyond noise (%s did within it)", words.Plural(noisy, "more function"))
}

// legend returns the explanation of the mark for changes within noise, if a listed
// function has the mark.
func (p *diffPrinter) legend(list []diff.Function) string {
	for _, f := range list {
		if p.Judged(f.Self, f.Margin.Self) == words.WithinNoise || p.Judged(f.Total, f.Margin.Total) == words.WithinNoise {
			return " (~: within noise)"
		}
	}
	return ""
}

// atLeast returns a phrase with the smallest change that is shown.
func (p *diffPrinter) atLeast() string {
	if p.Least == 0 {
		return ""
	}
	return fmt.Sprintf(" by %g %% or more", p.Least)
}

// named writes a line with a function's name between lead and end. It shortens the name if
// the line is too long.
func (p *diffPrinter) named(lead string, n *profile.Node, end string) {
	line := lead + p.Called(n, false) + end
	if p.Over(line) > 0 {
		line = lead + p.Called(n, true) + end
	}
	if p.Over(line) > 0 && n.Function != "" {
		line = lead + p.Squeezed(n.Location, p.Width-words.Columns(lead+end)) + end
	}
	p.Line("%s", line)
}

// trees writes the merged call trees.
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

// leastTrunk is the minimum number of outermost frames, common to all stacks, that
// are left out.
const leastTrunk = 4

// trunk writes one line for the outermost unchanged frames that all stacks share, except
// the last of them. It returns the number of frames left out.
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
	p.named(p.numbers(root.Total, p.ChangeText(root.Total))+"  "+p.Faint("… "+words.Plural(skipped, "frame")+" that all stacks have, from "), root.Node, "")
	return skipped
}

func (p *diffPrinter) isTrunk(n *diff.Node) bool {
	return p.ChangeText(n.Total) == "=" && n.Cut == nil && n.Folded == nil && n.Self == (diff.Amount{}) && len(n.Children) == 1
}

// branch writes the line of one node.
func (p *diffPrinter) branch(depth int, n *diff.Node) {
	at := words.Position{Depth: depth, Level: depth}
	lead := p.numbers(n.Total, p.ChangeText(n.Total)) + p.Indent(at) + p.Number(at)
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
