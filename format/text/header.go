package text

import (
	"bufio"
	"strings"

	"stacksnap/format/profile/headline"
)

// header writes the headline, its stacks, the process and the deadlocks. It includes
// the other facts about the process and the capture only if the options ask for facts
// first. Stacks follow deadlocks and the description of a view, if there are any.
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

// written returns the text that write writes.
func (p *printer) written(write func(*printer)) string {
	var text strings.Builder
	aside := *p
	aside.Writer = bufio.NewWriter(&text)
	write(&aside)
	_ = aside.Writer.Flush() // writing to a Builder cannot fail
	p.Guessed, p.FpOnly, p.calls = aside.Guessed, aside.FpOnly, aside.calls
	return text.String()
}

// put writes a text unchanged.
func (p *printer) put(text string) { _, _ = p.WriteString(text) } // the buffer keeps errors for Flush

// facts writes, at the end, the facts that the header left out. For samples it writes
// only what a reader needs, to keep the report short.
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
