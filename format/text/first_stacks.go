package text

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/words"
	"stacksnap/task"
)

// maxOthers is the maximum number of lines on the threads whose stacks are not among the first.
const maxOthers = 7

// firstStacks writes the stack of the thread that h, the headline of one snapshot, is
// about, and a few lines on the other threads. It writes nothing if threads are in a
// deadlock, whose table has their stacks.
func (p *printer) firstStacks(o *words.Options, h *headline.Headline) {
	whole := p.Profile.Original()
	if len(whole.Deadlocks) > 0 || p.Profile.View != nil && p.Profile.View.By != profile.ByThread {
		return
	}
	straight := p.straight()
	if h.Tasks != nil {
		straight.firstTask(h.Tasks)
	} else if about, why := telling(whole, h); about != nil && straight.only(about.ID) {
		straight.foldSelfCalls(o)
		straight.firstStack(straight.Profile.Threads[0], why)
		p.others(o, about)
	}
	p.Guessed, p.FpOnly = straight.Guessed, straight.FpOnly
}

// only reduces the profile to the entry of one thread. It reports false if there is
// none.
func (p *printer) only(id task.ThreadID) bool {
	t := p.Profile.Find(id)
	if t == nil {
		return false
	}
	one := *p.Profile
	one.Threads, p.Profile = []*profile.Thread{t}, &one
	return true
}

// firstStack writes the stack of a thread, and the reason why it comes first.
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

// others writes a few lines on the other threads: those that run, and the objects
// that the rest wait for.
func (p *printer) others(o *words.Options, first *profile.Thread) {
	if p.Profile.NumThreads() == first.Weight() {
		return
	}
	b := newSummary(p.Profile.Straight(), *o)
	b.wraps = true
	b.placed = append(b.placed, first.ID)
	b.stacks(maxOthers)
	if len(b.lines) > 0 {
		p.Line("")
	}
	for _, line := range b.lines {
		p.Line("%s", b.clipped(line))
	}
}

// telling returns the thread whose stack explains most about the headline of one
// snapshot, and the reason: it is the thread that the headline is about, or the owner
// of the lock that many threads wait for. It returns nil if there is none.
func telling(p *profile.Profile, h *headline.Headline) (t *profile.Thread, why string) {
	switch {
	case h.Thread != nil:
		return h.Thread, ""
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
