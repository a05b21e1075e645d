package text

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// maxSelf bounds the list of self times.
const maxSelf = 50

// writeSampled writes the report of many snapshots: the heaviest stack of the main
// thread and of the one that ran most, the trees with counts, merged by function and heaviest branch first,
// and the functions that were innermost.
func writeSampled(p *printer) error {
	p.header()
	p.heaviest()
	for t := range words.ThreadsByFunction(p.Profile) {
		p.Total = t.Samples
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
	straight.Profile = p.Profile.Straight()
	main := straight.Profile.MainThread()
	if main != nil {
		straight.heaviestOf(main, "the main thread")
	}
	if t := busiest(straight.Profile); t != nil && t != main {
		straight.heaviestOf(t, straight.busiestName(t))
	}
	p.Guessed, p.FpOnly = straight.Guessed, straight.FpOnly
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
		return "the " + words.Plural(n, "thread") + " that ran most"
	}
	return p.ThreadName(t.ID, t.Name) + ", which ran most"
}

// heaviestOf writes, flat, the stack in which a thread was most.
func (p *printer) heaviestOf(t *profile.Thread, whose string) {
	if len(t.Roots) == 0 {
		return
	}
	p.Total = t.Samples
	p.Line("")
	p.Line("Heaviest stack of %s:", whose)
	stack := words.ByFunction(p.Profile, t).Heaviest()
	if c := stack[0].Cut; c != nil {
		p.Line("%s  %s", p.weight(stack[0]), p.Cut("<stack cut here: "+words.Clean(c.String(), words.MaxText)+">"))
	}
	for _, n := range stack {
		p.Fitted(p.weight(n)+"  ", n, p.Split(n))
	}
}

// selfTimes lists the functions by how often they were the innermost.
func (p *printer) selfTimes() {
	times, total := p.Profile.Straight().SelfTimes()
	if total == 0 {
		return
	}
	p.Total = total
	p.Line("")
	p.Text("", 2, fmt.Sprintf("Self time: the innermost function, in %s samples of all threads:", words.Count(total)))
	for i, t := range times {
		if i == maxSelf {
			p.Line("          … %s", words.Plural(len(times)-i, "more function"))
			break
		}
		n := profile.Node{Location: t.Location, Count: t.Samples}
		line, spent := p.weight(&n)+"  "+p.InFull(t.Location), words.SplitOf(t.Spent, t.States)
		if p.Over(line+spent) > 0 {
			spent = ""
		}
		p.Line("%s%s", line, spent)
	}
}
