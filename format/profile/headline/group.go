package headline

import (
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
)

// GroupKind is the kind of a group's headline.
type GroupKind uint8

// The kinds of headlines of groups, in order of precedence. OfOne comes first if a process
// crashed or has a deadlock of its own.
const (
	NothingCommon GroupKind = iota // nothing is certain
	Circle                         // a deadlock: each thread of Links waits for the next, the last for the first
	Chain                          // each thread of Links waits for the next
	OfOne                          // the headline of one process, Profile
	AllIdle                        // all processes are idle
)

// GroupHeadline is the headline of several processes.
type GroupHeadline struct {
	Kind    GroupKind
	Links   []Link
	Profile *profile.Profile
}

// Link is a thread in a chain of waits.
type Link struct {
	Profile *profile.Profile
	ID      task.ThreadID   // 0: some thread of the process, unknown which
	Thread  *profile.Thread // nil: unknown, or not captured
	Wait    *profile.Wait   // nil: it does not wait, or its wait is unknown
}

// OfGroup returns the headline of processes that were captured together.
func OfGroup(g *profile.Group) GroupHeadline {
	heads := make([]Headline, len(g.Profiles))
	for i, p := range g.Profiles {
		heads[i] = Of(p)
	}
	one, kind := first(g, heads)
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
	case allIdle(g, heads):
		return GroupHeadline{Kind: AllIdle}
	}
	return GroupHeadline{}
}

// first returns the process whose headline has the highest precedence, and the kind of
// that. A process with less than half of the snapshots counts only if it crashed or has a
// deadlock.
func first(g *profile.Group, heads []Headline) (best *profile.Profile, kind Kind) {
	most := 0
	for _, p := range g.Profiles {
		most = max(most, p.Snapshots)
	}
	least := 0 // the lowest rank so far
	for i, p := range g.Profiles {
		k := heads[i].Kind
		isBrief := 2*p.Snapshots < most && k != Crashed && k != Deadlocked
		if n := rank(&heads[i]); k != None && !isBrief && (kind == None || n < least) {
			best, kind, least = p, k, n
		}
	}
	return best, kind
}

// rank returns a number that is lower for headlines of higher precedence. A main thread that
// only waits for its children, and a few tasks that wait for no lock, as in any server, come
// after everything that is not idle.
func rank(h *Headline) int {
	if h.Kind == Blocked && waits.IsForChild(h.Wait) {
		return 2*int(Located) + 1
	}
	if t := h.Tasks; t != nil && !isLockWait(t.Wait) && t.Number < leastParked {
		return 2*int(Located) + 1
	}
	return 2 * int(h.Kind)
}

func allIdle(g *profile.Group, heads []Headline) bool {
	for i := range heads {
		if heads[i].Kind != Idle {
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

// longest returns the chain of waits, from a main thread on, that goes through the most
// processes; nil if none leaves its process.
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

// processes returns the number of processes in a chain.
func processes(chain []Link) int {
	seen := map[*profile.Profile]bool{}
	for _, l := range chain {
		seen[l.Profile] = true
	}
	return len(seen)
}

// follow returns the chain of waits from a thread on. It ends if the next thread is
// unknown, or in the chain already.
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
	if w.WaitsForOther() {
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
