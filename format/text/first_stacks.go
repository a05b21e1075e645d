package text

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/words"
	"stacksnap/task"
)

// maxOthers is the most lines on the threads whose stacks are not among the first.
const maxOthers = 6

// firstStacks writes the stack of the thread that the headline of one snapshot is about, and where the
// others are; nothing if the threads are in a deadlock, whose table says so.
func (p *printer) firstStacks(o *words.Options) {
	whole := p.Profile.Original()
	if len(whole.Deadlocks) > 0 || p.Profile.View != nil && p.Profile.View.By != profile.ByThread {
		return
	}
	straight := p.straight(o)
	if h := headline.Of(whole); h.Tasks != nil {
		straight.firstTask(h.Tasks)
		p.Guessed, p.FpOnly = straight.Guessed, straight.FpOnly
		return
	}
	about, why := telling(whole)
	if about == nil || straight.Profile.Find(about.ID) == nil {
		return
	}
	straight.firstStack(straight.Profile.Find(about.ID), why)
	p.Guessed, p.FpOnly = straight.Guessed, straight.FpOnly
	p.others(o, about)
}

// firstStack writes the stack of a thread.
func (p *printer) firstStack(t *profile.Thread, why string) {
	stack := t.Heaviest()
	if len(stack) < 2 {
		return
	}
	p.Line("")
	p.Text("", 2, "Stack of "+p.threadOrThreads(t)+why+", innermost first:")
	p.innermostFirst(stack)
}

func (p *printer) threadOrThreads(t *profile.Thread) string {
	switch n := t.Weight(); {
	case n > 1:
		return "the " + words.Plural(n, "thread") + " alike"
	case t.Main:
		return "the main thread"
	}
	return p.ThreadName(t.ID, t.Name)
}

// others writes a few lines on the other threads: those that run, and what each of the rest waits for.
func (p *printer) others(o *words.Options, first *profile.Thread) {
	if p.Profile.NumThreads() == first.Weight() {
		return
	}
	b := newSummary(p.Profile.Straight(), *o)
	b.placed = append(b.placed, first.ID)
	b.stacks(maxOthers)
	if len(b.lines) > 0 {
		p.Line("")
	}
	for _, line := range b.lines {
		p.Line("%s", b.clipped(line))
	}
}

// telling returns the thread whose stack says most about the headline of one snapshot, and why it is
// that: the thread that the headline is about, of many that wait for one lock its owner, of many that
// run the one that ran longest; nil if there is none.
func telling(p *profile.Profile) (t *profile.Thread, why string) {
	h := headline.Of(p)
	switch {
	case h.Thread != nil:
		return h.Thread, ""
	case h.Kind == headline.Running:
		return longest(p), ""
	case h.Wait == nil:
		return p.MainThread(), ""
	}
	if owner := p.Find(h.Wait.Owner); h.Wait.Owner != 0 && owner != nil {
		return owner, ", which holds it"
	}
	i := slices.IndexFunc(p.Threads, func(t *profile.Thread) bool { return t.Wait == h.Wait })
	if i < 0 {
		return p.MainThread(), ""
	}
	return p.Threads[i], ""
}

// longest returns the runnable thread with the most CPU time, if possible one on a CPU.
func longest(p *profile.Profile) (best *profile.Thread) {
	isBetter := func(t *profile.Thread) bool {
		if (t.OnCPUState == task.OnCPU) != (best.OnCPUState == task.OnCPU) {
			return t.OnCPUState == task.OnCPU
		}
		return t.User+t.System > best.User+best.System
	}
	for _, t := range p.Threads {
		if t.State == task.Running && (best == nil || isBetter(t)) {
			best = t
		}
	}
	return best
}
