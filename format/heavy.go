package format

import (
	"fmt"
	"io"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// maxSelf bounds the list of self times.
const maxSelf = 50

// Heavy writes the report of many snapshots: the heaviest stack of the main
// thread and of the one that ran most, the trees with counts, merged by function and heaviest branch first,
// and the functions that were innermost.
func Heavy(o Options) Writer {
	return func(w io.Writer, p *profile.Profile) error {
		return writeHeavy(newPrinter(w, p, o))
	}
}

func writeHeavy(p *printer) error {
	p.header()
	p.heaviest()
	for t := range threadsByFunction(p.profile) {
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
	straight := *p
	straight.profile = p.profile.Straight()
	main := straight.profile.MainThread()
	if main != nil {
		straight.heaviestOf(main, "the main thread")
	}
	if t := busiest(straight.profile); t != nil && t != main {
		straight.heaviestOf(t, straight.busiestName(t))
	}
	p.guessed, p.fpOnly = straight.guessed, straight.fpOnly
}

// busiest is the thread that was seen to run most often, if that was in most of its
// samples; nil where there is none.
func busiest(p *profile.Profile) (best *profile.Thread) {
	most := 0
	for _, t := range p.Threads {
		if ran := t.States[task.Running]; ran > most && 2*ran >= t.Samples {
			best, most = t, ran
		}
	}
	return best
}

// busiestName names that thread, or those that are alike.
func (p *printer) busiestName(t *profile.Thread) string {
	if n := t.Weight(); n > 1 {
		return "the " + plural(n, "thread") + " that ran most"
	}
	return p.threadName(t.ID, t.Name) + ", which ran most"
}

// heaviestOf writes, flat, the stack in which a thread was most.
func (p *printer) heaviestOf(t *profile.Thread, whose string) {
	if len(t.Roots) == 0 {
		return
	}
	p.total = t.Samples
	p.line("")
	p.line("Heaviest stack of %s:", whose)
	stack := byFunction(p.profile, t).Heaviest()
	if c := stack[0].Cut; c != nil {
		p.line("%s  %s", p.weight(stack[0]), p.cut("<stack cut here: "+clean(c.String(), maxText)+">"))
	}
	for _, n := range stack {
		p.fitted(p.weight(n)+"  ", n, p.split(n))
	}
}

// selfTimes lists the functions by how often they were the innermost.
func (p *printer) selfTimes() {
	times, total := p.profile.Straight().SelfTimes()
	if total == 0 {
		return
	}
	p.total = total
	p.line("")
	p.text("", 2, fmt.Sprintf("Self time: the innermost function, in %s samples of all threads:", count(total)))
	for i, t := range times {
		if i == maxSelf {
			p.line("          … %s", plural(len(times)-i, "more function"))
			break
		}
		n := profile.Node{Location: t.Location, Count: t.Samples}
		line, spent := p.weight(&n)+"  "+p.whole(t.Location), splitOf(t.Spent, t.States)
		if p.over(line+spent) > 0 {
			spent = ""
		}
		p.line("%s%s", line, spent)
	}
}

// whole names a function without a place in it.
func (p *printer) whole(l profile.Location) string {
	if l.Function == "" && l.Image == nil && !l.Kernel {
		return "??? (code of no file)"
	}
	if l.Function == "" || l.Image == nil {
		return p.place(&profile.Node{Location: l})
	}
	return p.name(p.function(l)) + " (" + imageName(l.Image) + ")"
}
