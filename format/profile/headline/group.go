package headline

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// GroupKind is what several processes are about.
type GroupKind uint8

// The kinds of headlines of groups, in order of precedence. OfOne comes first where a process
// crashed or has a deadlock of its own.
const (
	NothingCommon GroupKind = iota // nothing is certain
	Circle                         // the threads of Links wait for each other, the last for the first: a deadlock of the group's
	Chain                          // each thread of Links waits for the next
	OfOne                          // the headline of Profile
	AllIdle                        // all processes are idle
)

// GroupHeadline is what several processes are about.
type GroupHeadline struct {
	Kind    GroupKind
	Links   []Link
	Profile *profile.Profile
}

// Link is a thread of a chain in which each waits for the next.
type Link struct {
	Profile *profile.Profile
	ID      task.ThreadID   // 0: it is not known which thread of the process
	Thread  *profile.Thread // nil: likewise, or it was not captured
	Wait    *profile.Wait   // nil: it does not wait, or that is not known
}

// OfGroup returns the headline of processes that were captured together.
func OfGroup(g *profile.Group) GroupHeadline {
	one, kind := first(g)
	if kind == Crashed || kind == Deadlocked {
		return GroupHeadline{Kind: OfOne, Profile: one}
	}
	chain := longest(g)
	switch {
	case len(g.Deadlocks) > 0:
		return GroupHeadline{Kind: Circle, Links: around(g, &g.Deadlocks[0])}
	case len(chain) > 1:
		return GroupHeadline{Kind: Chain, Links: chain}
	case kind != None && kind != Idle:
		return GroupHeadline{Kind: OfOne, Profile: one}
	case allIdle(g):
		return GroupHeadline{Kind: AllIdle}
	}
	return GroupHeadline{}
}

// first returns the process with most to say, and what that is. Hotspot was there
// for less than half of a sampling counts only where it crashed or has a deadlock.
func first(g *profile.Group) (best *profile.Profile, kind Kind) {
	most := 0
	for _, p := range g.Profiles {
		most = max(most, p.Snapshots)
	}
	for _, p := range g.Profiles {
		k := Of(p).Kind
		isBrief := 2*p.Snapshots < most && k != Crashed && k != Deadlocked
		if k != None && !isBrief && (kind == None || k < kind) {
			best, kind = p, k
		}
	}
	return best, kind
}

func allIdle(g *profile.Group) bool {
	for _, p := range g.Profiles {
		if Of(p).Kind != Idle {
			return false
		}
	}
	return len(g.Profiles) > 1 && len(g.Missing) == 0 && g.More == 0
}

// around returns the threads of a deadlock.
func around(g *profile.Group, d *profile.Deadlock) (links []Link) {
	for i := range d.Waiters {
		w := &d.Waiters[i]
		l := Link{Profile: g.Find(w.PID), ID: w.ID, Wait: &w.Wait}
		if l.Profile == nil {
			l.Profile = &profile.Profile{Target: task.Info{PID: w.PID, Name: w.Process}}
		}
		l.Thread = l.Profile.Find(w.ID)
		links = append(links, l)
	}
	return links
}

// longest returns the chain of waits from a main thread on that leads through most
// processes; none where all are of one.
func longest(g *profile.Group) (best []Link) {
	most := 1
	for _, p := range g.Profiles {
		t := p.MainThread()
		if t == nil || p.Sampled() {
			continue
		}
		chain := follow(g, Link{p, t.ID, t, t.Wait})
		if n := processes(chain); n > most {
			best, most = chain, n
		}
	}
	return best
}

// processes counts those that a chain leads through.
func processes(chain []Link) int {
	seen := map[*profile.Profile]bool{}
	for _, l := range chain {
		seen[l.Profile] = true
	}
	return len(seen)
}

// follow returns the chain from a thread through those that it waits for. It ends where the next
// is not known, or is in the chain already.
func follow(g *profile.Group, from Link) (chain []Link) {
	for next, ok := from, true; ok; next, ok = after(g, next) {
		if slices.ContainsFunc(chain, func(l Link) bool { return l.Profile == next.Profile && l.ID == next.ID }) {
			break
		}
		chain = append(chain, next)
	}
	return chain
}

// after returns the thread that another one waits for.
func after(g *profile.Group, l Link) (Link, bool) {
	w := l.Wait
	if w == nil {
		return Link{}, false
	}
	p, id := l.Profile, w.Owner
	if w.Peer.PID != 0 {
		p, id = g.Find(w.Peer.PID), w.Peer.Thread
	} else if w.Owner == 0 {
		return Link{}, false
	}
	if p == nil {
		return Link{}, false
	}
	next := Link{Profile: p, ID: id}
	if id != 0 {
		next.Thread = p.Find(id)
	}
	if next.Thread != nil {
		next.Wait = next.Thread.Wait
	}
	return next, true
}
