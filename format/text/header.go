package text

// header writes whose stacks these are, and how and when they were captured.
func (p *printer) header() {
	p.WriteHeadline()
	p.Target()
	p.Line("")
	p.Capture()
	p.View()
	p.Notes()
	p.Deadlocks()
}
