// Package headline finds what a profile is about, as data for the first line of a report:
// a crash, a deadlock, a lock that many wait for, what the CPU time went to. It returns
// [None] where nothing is certain.
package headline

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// Kind is what a profile is about.
type Kind uint8

// The kinds of headlines, in order of precedence.
const (
	None       Kind = iota // nothing is certain
	Crashed                // Thread ended the process; of a core
	Deadlocked             // Threads are in wait cycles
	Stopped                // all threads are stopped
	Convoy                 // Threads wait for one lock, as Wait says
	Locked                 // the main thread waits for what another one has, as Wait says
	Running                // of one snapshot: Threads could run, Thread first
	Computing              // of many: CPU says in what
	Starved                // of many: Threads could run and mostly waited for a processor
	Stuck                  // of many: Thread mostly was where nothing can wake it, as CPU says, most often as Wait does
	Blocked                // the main thread waits, as Wait says
	Idle                   // the main thread waits for whatever comes next, as Wait says
)

// Headline is what a profile is about.
type Headline struct {
	Kind    Kind
	Threads int             // how many it is about, of all
	Main    bool            // the main thread is one of these
	Thread  *profile.Thread // nil where it is about several
	Wait    *profile.Wait
	Looks   int // of many snapshots: how often the thread was observed to wait so, which is always
	CPU     CPUTime
}

// Of returns the headline of a profile.
func Of(p *profile.Profile) Headline {
	for _, find := range []func(*profile.Profile) Headline{
		crashed, deadlocked, stopped, convoy, locked, running, computing, starved, stuck, blocked,
	} {
		if a := find(p); a.Kind != None {
			return a
		}
	}
	return Headline{}
}

func crashed(p *profile.Profile) Headline {
	c := p.Target.Crash
	if c == nil {
		return Headline{}
	}
	a := Headline{Kind: Crashed}
	for _, t := range p.Threads {
		if t.ID == c.Thread && t.ID != 0 {
			a.Thread = t
		}
	}
	return a
}

// deadlocked counts the threads in deadlocks that have not ended.
func deadlocked(p *profile.Profile) Headline {
	in := map[task.ThreadID]bool{}
	for i := range p.Deadlocks {
		if d := &p.Deadlocks[i]; !d.Ended {
			for _, w := range d.Waiters {
				in[w.ID] = true
			}
		}
	}
	if len(in) == 0 {
		return Headline{}
	}
	t := p.MainThread()
	return Headline{Kind: Deadlocked, Threads: len(in), Main: t != nil && in[t.ID]}
}

// stopped reports whether all threads were stopped in every snapshot.
func stopped(p *profile.Profile) Headline {
	stopped := 0
	for _, t := range p.Threads {
		if t.States[task.Stopped] != t.Samples {
			return Headline{}
		}
		stopped += t.Samples
	}
	if stopped == 0 {
		return Headline{}
	}
	return Headline{Kind: Stopped}
}

// wait returns what a thread waited for in every observation, and how many there were; nil
// when it did not wait, or not always for the same.
func wait(p *profile.Profile, t *profile.Thread) (*profile.Wait, int) {
	if !p.Sampled() {
		return t.Wait, 0
	}
	if len(t.Waits) != 1 || t.Waits[0].Looks != t.Looks || t.Waits[0].Owners || mostlyRunnable(t) {
		return nil, 0
	}
	if usual := t.UsualWaits(); len(usual) == 0 {
		return nil, 0
	}
	return &t.Waits[0].Wait, t.Looks
}

// mostlyRunnable reports whether a thread was seen to wait in less than nine tenths
// of its samples.
func mostlyRunnable(t *profile.Thread) bool {
	return (t.States[task.Sleeping]+t.States[task.Uninterruptible])*10 < t.Samples*9
}

// leastConvoy is how many threads waiting for one lock are worth a line before
// that of the main thread.
const leastConvoy = 3

// convoy finds the lock in memory that most threads wait for, if they are at least leastConvoy.
func convoy(p *profile.Profile) Headline {
	var best Headline
	at := map[task.Addr]int{}
	main := map[task.Addr]bool{}
	for _, t := range p.Threads {
		w, looks := wait(p, t)
		if w == nil || w.Addr == 0 || w.Lock == profile.NoLock || w.Lock == profile.ThreadEnd {
			continue
		}
		at[w.Addr] += t.Weight()
		main[w.Addr] = main[w.Addr] || t.Main
		if n := at[w.Addr]; n >= leastConvoy && n > best.Threads {
			best = Headline{Kind: Convoy, Threads: n, Wait: w, Looks: looks}
		}
	}
	if best.Kind != None {
		best.Main = main[best.Wait.Addr]
	}
	return best
}

// locked returns the lock that the main thread waits for.
func locked(p *profile.Profile) Headline {
	a := blocked(p)
	if a.Kind != Blocked || a.Wait.Lock == profile.NoLock || a.Wait.Lock == profile.ThreadEnd {
		return Headline{}
	}
	a.Kind = Locked
	return a
}

// blocked returns what the main thread waits for.
func blocked(p *profile.Profile) Headline {
	t := p.MainThread()
	if t == nil {
		return Headline{}
	}
	w, looks := wait(p, t)
	switch {
	case w == nil:
		return Headline{}
	case waits.IsIdle(w):
		return Headline{Kind: Idle, Main: true, Thread: t, Wait: w, Looks: looks}
	}
	return Headline{Kind: Blocked, Main: true, Thread: t, Wait: w, Looks: looks}
}
