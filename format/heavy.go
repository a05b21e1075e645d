package format

import (
	"io"

	"stacksnap/format/profile"
)

// maxSelf bounds the list of self times.
const maxSelf = 50

// Heavy writes the report of many snapshots: the heaviest stack of the main
// thread, the trees with counts, merged by function and heaviest branch first,
// and the functions that were innermost.
func Heavy(o Options) Writer {
	return func(w io.Writer, p *profile.Profile) error {
		return writeHeavy(newPrinter(w, p.ByFunction(), o))
	}
}

func writeHeavy(p *printer) error {
	p.header()
	p.heaviest()
	for _, t := range p.profile.Threads {
		p.total = t.Samples
		p.thread(t)
	}
	p.selfTimes()
	p.images()
	p.end()
	p.unnamed()
	return p.Flush()
}

// heaviest writes the heaviest stack of the main thread.
func (p *printer) heaviest() {
	if t := p.profile.MainThread(); t != nil {
		p.heaviestOf(t, "the main thread")
	}
}

// heaviestOf writes, flat, the stack in which a thread was most.
func (p *printer) heaviestOf(t *profile.Thread, whose string) {
	if len(t.Roots) == 0 {
		return
	}
	p.total = t.Samples
	p.line("")
	p.line("Heaviest stack of %s:", whose)
	stack := t.Heaviest()
	if c := stack[0].Cut; c != nil {
		p.line("%s  %s", p.weight(stack[0]), p.cut("<stack cut here: "+clean(c.String(), maxText)+">"))
	}
	for _, n := range stack {
		p.line("%s  %s %s%s%s", p.weight(n), p.place(n), p.faint(addresses(n)), source(n), p.marks(n))
	}
}

// selfTimes lists the functions by how often they were the innermost.
func (p *printer) selfTimes() {
	times, total := p.profile.SelfTimes()
	if total == 0 {
		return
	}
	p.total = total
	p.line("")
	p.line("Self time: the innermost function, in %s samples of all threads:", count(total))
	for i, t := range times {
		if i == maxSelf {
			p.line("          … %s", plural(len(times)-i, "more function"))
			break
		}
		n := profile.Node{Location: t.Location, Count: t.Samples}
		p.line("%s  %s%s", p.weight(&n), p.whole(t.Location), spentIn(t.Spent))
	}
}

// whole names a function without a place in it.
func (p *printer) whole(l profile.Location) string {
	if l.Function == "" && l.Image == nil {
		return "??? (code of no file)"
	}
	if l.Function == "" || l.Image == nil {
		return p.place(&profile.Node{Location: l})
	}
	return p.name(p.function(l)) + " (" + imageName(l.Image) + ")"
}
