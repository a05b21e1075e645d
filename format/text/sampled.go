package text

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/headline"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/words"
	"stacksnap/task"
)

// writeSampled writes the report of many snapshots: the heaviest stacks of the thread that
// ran most and of the main one; the busiest threads; the trees, merged by function, with
// counts and the heaviest branch first; and the self times.
func writeSampled(p *printer, o *words.Options) error {
	whole := trees(p.Profile, o)
	least, depth := bounds(p.Profile, o)
	shown := whole.Prune(least, depth)
	p.bounded(shown, o.Least)
	header := func(p *printer) { p.header(func(p *printer, h *headline.Headline) { p.heaviest(o, h) }) }
	tail := func(p *printer) { p.selfTimes(); p.rest() }
	if p.least > 0 && !o.Addresses {
		p.fitting(p.written(header), whole, shown, tail)
		return p.Flush()
	}
	header(p)
	p.threads(shown)
	tail(p)
	return p.Flush()
}

// threads writes the trees of threads, and one line for each thread that needs no
// tree.
func (p *printer) threads(shown *profile.Profile) {
	var asleep []*profile.Thread
	dead, lists := shown.Deadlocked(), p.listsAsleep()
	for _, t := range shown.Threads {
		if lists && isAsleep(t) && !dead[t.ID] {
			asleep = append(asleep, t)
			continue
		}
		p.Total = t.Samples
		p.thread(t)
	}
	p.asleep(asleep)
	p.leftOut()
}

// heaviest writes the heaviest stack of the thread that ran most, the busiest
// threads, and the heaviest stack of the main thread. If h, the headline, is about
// tasks, it writes their stack instead.
func (p *printer) heaviest(o *words.Options, h *headline.Headline) {
	straight := p.straight()
	if h.Tasks != nil {
		straight.firstTask(h.Tasks)
		p.Guessed, p.FpOnly = straight.Guessed, straight.FpOnly
		return
	}
	straight.foldSelfCalls(o)
	main, most := straight.Profile.MainThread(), busiest(straight.Profile)
	if main != nil {
		straight.holders(main, most)
	}
	if most != nil && most != main {
		straight.heaviestOf(most, straight.busiestName(most))
		straight.busyThreads()
	}
	if main != nil && (most == nil || most == main || !isSimple(main)) {
		straight.heaviestOf(main, "the main thread")
	}
	if most == nil || most == main {
		straight.busyThreads()
	}
	p.Guessed, p.FpOnly = straight.Guessed, straight.FpOnly
}

// straight returns a printer for stacks as they were captured, without the view. It
// prints no addresses.
func (p *printer) straight() *printer {
	straight := *p
	straight.Profile, straight.Places = p.Profile.Straight(), false
	return &straight
}

// foldSelfCalls folds recursive calls into one line, unless the options ask for each
// call.
func (p *printer) foldSelfCalls(o *words.Options) {
	if !o.SelfCalls {
		p.Profile = p.Profile.FoldSelfCalls(owncode.Is)
	}
}

// isSimple reports whether a thread had the same calls in all samples, and waited for
// nothing that another thread holds. Its tree then says as much as its heaviest
// stack.
func isSimple(t *profile.Thread) bool {
	for _, n := range t.Nodes() {
		if len(n.Children) > 1 {
			return false
		}
	}
	return len(t.Roots) == 1 && !waitsForAnother(t)
}

// waitsForAnother reports whether a thread usually waits for something that another
// thread or process holds.
func waitsForAnother(t *profile.Thread) bool {
	return slices.ContainsFunc(t.UsualWaits(), func(w profile.Waited) bool {
		return w.Lock != profile.NoLock && w.Lock != profile.ThreadEnd || w.Peer.PID != 0
	})
}

// busiest returns, among the threads that mostly ran, the one that was runnable in
// the most samples; nil if there is none.
func busiest(p *profile.Profile) (best *profile.Thread) {
	most := 0
	for _, t := range p.Threads {
		if ran := t.States[task.Running]; ran > most && t.MostlyRan() {
			best, most = t, ran
		}
	}
	return best
}

// busiestName names the busiest thread, or the threads of its entry.
func (p *printer) busiestName(t *profile.Thread) string {
	if n := t.Weight(); n > 1 {
		return "the " + words.Plural(n, "thread") + " that ran most"
	}
	return p.ThreadName(t.ID, t.Name) + ", which ran most"
}

// maxHolders is the maximum number of holders whose stacks come before that of a
// waiting thread.
const maxHolders = 2

// holders writes the stack of the thread that t waited for in all checks, and of the
// one that this thread waited for: the last one is the cause. It stops at most, which
// has its own place. It writes nothing if there are deadlocks, whose table has the
// stacks.
func (p *printer) holders(t, most *profile.Thread) {
	if len(p.Profile.Original().Deadlocks) > 0 {
		return
	}
	for range maxHolders {
		w := t.ConstantWait(true)
		if w == nil || w.Owner == 0 || w.Owner == t.ID {
			return
		}
		if t = p.Profile.Find(w.Owner); t == nil || t == most {
			return
		}
		p.heaviestOf(t, p.ThreadName(t.ID, t.Name)+asHolder(w), p.Waits(t)...)
	}
}

// asHolder returns a clause on the role of the thread that is waited for.
func asHolder(w *profile.Wait) string {
	if w.Lock == profile.ThreadEnd {
		return ", which has to end"
	}
	return ", which holds it"
}

// heaviestOf writes the most frequent stack of a thread, preceded by its waits. For a
// thread that mostly ran, it writes the stack with the most CPU time.
func (p *printer) heaviestOf(t *profile.Thread, whose string, waits ...string) {
	if len(t.Roots) == 0 {
		return
	}
	p.Total = t.Samples
	p.Line("")
	p.Line("Heaviest stack of %s, innermost first:", whose)
	for _, wait := range waits {
		p.Text("  ", 6, wait)
	}
	one := *p.Profile
	one.Threads = []*profile.Thread{t}
	merged := one.ByBounds().Threads[0]
	stack := merged.Heaviest()
	if t.MostlyRan() {
		stack = merged.Busiest()
	}
	p.innermostFirst(stack)
}
