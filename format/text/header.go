package text

import (
	"bufio"
	"strings"

	"stacksnap/format/profile/headline"
)

// header writes the headline, the stacks that it is about, the process and the deadlocks. The other
// facts on the process and the capture are among them only if they were asked for first. Stacks come
// after deadlocks and after the description of a view.
func (p *printer) header(stacks func(*printer, *headline.Headline)) {
	h := headline.Of(p.Profile.Original())
	p.WriteHeadline(&h)
	text := p.written(func(p *printer) { stacks(p, &h) })
	if !p.factsFirst && len(p.Profile.Deadlocks) == 0 && p.Profile.View == nil && text != "" {
		p.put(strings.TrimPrefix(text, "\n") + "\n")
		text = ""
	}
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
	p.next(&h)
	p.put(text)
}

// written returns what a function writes.
func (p *printer) written(write func(*printer)) string {
	var text strings.Builder
	aside := *p
	aside.Writer = bufio.NewWriter(&text)
	write(&aside)
	_ = aside.Writer.Flush() // a Builder takes everything
	p.Guessed, p.FpOnly, p.calls = aside.Guessed, aside.FpOnly, aside.calls
	return text.String()
}

// put writes a text as it is.
func (p *printer) put(text string) { _, _ = p.WriteString(text) } // the buffer keeps errors for Flush

// facts writes, at the end, what the header left out; for samples only what their reader needs, as
// that report should be short.
func (p *printer) facts() {
	if p.factsFirst {
		return
	}
	p.Line("")
	if p.Profile.Sampled() {
		p.CircumstancesInBrief()
	} else {
		p.Circumstances()
	}
	p.Remarks()
}
