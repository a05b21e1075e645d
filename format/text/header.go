package text

import "fmt"

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
