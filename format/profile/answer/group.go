package answer

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// GroupKind is what sort of thing there is to say of several processes.
type GroupKind uint8

// The kinds, in the order in which one is preferred to another, but for what is
// said of a process that crashed or has a deadlock, which comes first.
const (
	NothingCommon GroupKind = iota // nothing is known for certain
	Circle                         // the threads of Links wait for each other, the last for the first
	Chain                          // each thread of Links waits for the next
	OfOne                          // what there is to say of Profile
	AllIdle                        // all processes are idle
)

// GroupAnswer is what there is to say of several processes.
type GroupAnswer struct {
	Kind    GroupKind
	Links   []Link
	Profile *profile.Profile
}

// Link is a thread that another one waits for, or that waits for another.
type Link struct {
	Profile *profile.Profile
	ID      task.ThreadID   // 0: it is not known which thread of the process
	Thread  *profile.Thread // nil: likewise, or it was not captured
}

// OfGroup finds what there is to say of processes that were captured together.
func OfGroup(g *profile.Group) GroupAnswer {
	one, kind := first(g)
	if kind == Crashed || kind == Deadlocked {
		return GroupAnswer{Kind: OfOne, Profile: one}
	}
	chain, circle := longest(g)
	switch {
	case circle:
		return GroupAnswer{Kind: Circle, Links: chain}
	case len(chain) > 1:
		return GroupAnswer{Kind: Chain, Links: chain}
	case kind != None && kind != Idle:
		return GroupAnswer{Kind: OfOne, Profile: one}
	case allIdle(g):
		return GroupAnswer{Kind: AllIdle}
	}
	return GroupAnswer{}
}

// first returns the process of which there is most to say, and what that is.
func first(g *profile.Group) (best *profile.Profile, kind Kind) {
	for _, p := range g.Profiles {
		if k := Of(p).Kind; k != None && (kind == None || k < kind) {
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

// longest returns the chain of waits from a main thread on that leads through most
// processes, or the first circle.
func longest(g *profile.Group) (best []Link, circle bool) {
	most := 1
	for _, p := range g.Profiles {
		t := p.MainThread()
		if t == nil || p.Sampled() {
			continue
		}
		chain, circle := follow(g, Link{p, t.ID, t})
		n := processes(chain)
		switch {
		case circle && n > 1:
			return chain, true
		case !circle && n > most:
			best, most = chain, n
		}
	}
	return best, false
}

// processes counts those that a chain leads through.
func processes(chain []Link) int {
	seen := map[*profile.Profile]bool{}
	for _, l := range chain {
		seen[l.Profile] = true
	}
	return len(seen)
}

// follow goes from one thread to that which it waits for, as far as that is known.
// Of a circle it returns only that.
func follow(g *profile.Group, from Link) (chain []Link, circle bool) {
	for next, ok := from, true; ok; next, ok = after(g, next) {
		for i, l := range chain {
			if l.Profile == next.Profile && l.ID == next.ID {
				return closed(chain, i)
			}
		}
		chain = append(chain, next)
	}
	return chain, false
}

// closed returns the circle that is at the end of a chain, or the chain where
// others may break it.
func closed(chain []Link, from int) ([]Link, bool) {
	for _, l := range chain[from:] {
		if l.Thread.Wait.Peer.Others {
			return chain, false
		}
	}
	return chain[from:], true
}

// after returns the thread that another one waits for.
func after(g *profile.Group, l Link) (Link, bool) {
	if l.Thread == nil || l.Thread.Wait == nil {
		return Link{}, false
	}
	w := l.Thread.Wait
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
	return next, true
}
