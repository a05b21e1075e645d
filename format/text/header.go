package text

import (
	"fmt"

	"stacksnap/format/words"
)

// header writes the headline, the process and the deadlocks. The other facts on the process
// and the capture follow only if they were asked for first.
func (p *printer) header() {
	p.WriteHeadline()
	if p.factsFirst {
		p.Target()
		p.Line("")
		p.Capture()
		p.View()
		p.Notes()
	} else {
		p.Process()
		p.Extent()
		p.View()
		p.Warnings()
	}
	p.Deadlocks()
	p.deadlockStacks()
	p.unseen()
	p.more()
}

// more says, at a terminal, what shows more of a process than a snapshot does.
func (p *printer) more() {
	if t := &p.Profile.Target; p.Width > 0 && t.Live && !p.Profile.Sampled() && !p.factsFirst {
		p.Fact("More", p.Faint(fmt.Sprintf("stacksnap -p %d -d 5s (samples); stacksnap help report", t.PID)))
	}
}

// facts writes, at the end, what the header left out.
func (p *printer) facts() {
	if p.factsFirst {
		return
	}
	p.Line("")
	p.Circumstances()
	p.Remarks()
}

// maxDeadlockStacks bounds the threads of deadlocks that have a line of their own.
const maxDeadlockStacks = 8

// deadlockStacks writes where each thread of a deadlock is, in a line.
func (p *printer) deadlockStacks() {
	line := words.NewStackLine(p.Profile.Straight(), p.Width)
	n := 0
	for i := range p.Profile.Deadlocks {
		for _, w := range p.Profile.Deadlocks[i].Waiters {
			t := line.Profile.Find(w.ID)
			if w.PID != 0 || t == nil {
				continue
			}
			if n++; n > maxDeadlockStacks {
				return
			}
			text := "  " + p.ThreadName(w.ID, w.Name) + " in " + line.Stack(t.Heaviest())
			p.Line("%s", words.Clip(text, line.Width))
		}
	}
}
