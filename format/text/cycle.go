package text

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// The limits of folding a recursion: it has at least minFolded frames, and at most
// maxPeriod functions in a round.
const (
	minFolded = 20
	maxPeriod = 8
)

// cycle is a run of frames in which a sequence of functions repeats.
type cycle struct {
	period int // number of functions in a round; 0: no cycle
	length int // number of frames, a multiple of period
}

// alike reports whether one line can represent two frames: they have the same function (or
// the same address, if it has no name) and the same marks.
func alike(a, b *profile.Node) bool {
	return a.Image == b.Image && a.Function == b.Function && a.Overload == b.Overload &&
		(a.Function != "" || a.PC == b.PC) && a.Inlined == b.Inlined && a.Kernel == b.Kernel &&
		a.By.Guess() == b.By.Guess() && words.PointerOnly(a) == words.PointerOnly(b)
}

// findCycle returns the shortest cycle that begins with the first frame.
func findCycle(chain []*profile.Node) cycle {
	if len(chain) < minFolded {
		return cycle{}
	}
	for period := 1; period <= maxPeriod; period++ {
		n := period
		for n < len(chain) && alike(chain[n], chain[n-period]) {
			n++
		}
		n -= n % period
		if n >= minFolded && n >= 4*period {
			return cycle{period, n}
		}
	}
	return cycle{}
}

// cycle writes the first and the last round of a recursion, and the number of frames
// between them. It returns the position after the last one.
func (p *printer) cycle(run []*profile.Node, period int, at words.Position) words.Position {
	at = p.round(run[:period], at)
	last := len(run) - period
	p.Line("%s%s%s", p.weight(run[period]), p.Indent(at), p.Faint(p.folded(run[period:last], period)))
	at.Depth += last - period
	at.Level++
	at.Numbered = true
	return p.round(run[last:], at)
}

// round writes a chain of frames, each the callee of the previous one.
func (p *printer) round(run []*profile.Node, at words.Position) words.Position {
	for _, n := range run {
		p.frame(n, at)
		at = at.In(1)
	}
	return at
}

func (p *printer) folded(run []*profile.Node, period int) string {
	if period == 1 {
		return fmt.Sprintf("… %s more frames of %s …", words.Count(len(run)), p.Function(run[0].Location))
	}
	return fmt.Sprintf("… %s more frames, %s times the same %d …", words.Count(len(run)), words.Count(len(run)/period), period)
}
