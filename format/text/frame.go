package text

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// root writes the tree below an outermost frame. If callers are missing, it writes a line
// above that says so.
func (p *printer) root(n *profile.Node) {
	var at words.Position
	if n.Cut != nil && !p.IsInverted() {
		p.Line("%s%s%s", p.weight(n), p.Indent(at), p.cutHere(n.Cut))
		at.Level++
	}
	p.branch(n, at)
}

func (p *printer) cutHere(c *profile.Cut) string {
	return p.Cut("<stack cut here: " + words.Clean(c.String(), words.MaxText) + ">")
}

// branch writes n and the tree below it.
func (p *printer) branch(n *profile.Node, at words.Position) {
	chain := words.ChainOf(n)
	for i := 0; i < len(chain); {
		if run := p.startupRun(chain[i:], at); len(run) > 0 {
			p.startup(run, at)
			at.Depth, at.Level, i = len(run), at.Level+1, len(run)
			continue
		}
		if c := findCycle(chain[i:]); c.period > 0 {
			at = p.cycle(chain[i:i+c.length], c.period, at)
			i += c.length
			continue
		}
		n := p.frames(p.passing(chain[i:], at), at)
		at.Depth += n
		at.Level++
		i += n
	}
	for _, child := range chain[len(chain)-1].Children {
		p.branch(child, at)
	}
}

// frame writes the line of a frame.
func (p *printer) frame(n *profile.Node, at words.Position) {
	lead := p.weight(n) + p.Indent(at)
	if f := n.Folded; f != nil {
		if p.isLight(n) {
			p.calls += f.Nodes
			return
		}
		p.Line("%s%s%s", lead, p.Faint(words.FoldedText(f)), p.Split(n))
		return
	}
	split := p.Split(n)
	if at.Depth == 0 && p.Total > 0 && p.IsInverted() {
		split = words.SplitOf(n.Spending())
	}
	p.Fitted(lead+p.Number(at), n, split)
	if n.Cut != nil && p.IsInverted() {
		p.Line("%s%s%s", p.weight(n), p.Indent(at.In(1)), p.cutHere(n.Cut))
	}
}

// weight formats a node's count and its share of the samples.
func (p *printer) weight(n *profile.Node) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%8s %5.1f %%", words.Count(n.Count), 100*float64(n.Count)/float64(p.Total))
}
