package headline

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
)

// leastAlike is how many threads must wait alike to be worth the first line: more than a pool of
// threads for the processors of a machine usually has.
const leastAlike = 100

// place is where in the program threads wait, and in which call.
type place struct {
	call, function string
	line           int
}

// alike finds the place at which most threads wait, if they are at least leastAlike, and
// more than half of all.
func alike(p *profile.Profile) Headline {
	all := p.NumThreads()
	if all < leastAlike {
		return Headline{}
	}
	var best Headline
	var most *waiters
	at := map[place]*waiters{}
	for _, t := range p.Threads {
		w, looks := wait(p, t)
		if w == nil || t.Main {
			continue
		}
		own := waits.Waiter(t.Heaviest())
		here := waitPlace(w, own)
		if at[here] == nil {
			at[here] = &waiters{first: w}
		}
		g := at[here]
		g.add(t, w)
		if n := g.threads; n >= leastAlike && 2*n > all && n > best.Threads {
			best, most = Headline{Kind: Alike, Threads: n, Wait: w, Own: own, Looks: looks}, g
		}
	}
	if best.Wait != nil && best.Own == nil && waits.IsParked(best.Wait) {
		return Headline{} // a library's pool, which has nothing to do
	}
	best.SameObject = most != nil && most.first.Object != "" && !most.differ
	return best
}

// waiters are the threads that wait at one place.
type waiters struct {
	threads int
	first   *profile.Wait // the wait of the first of them
	differ  bool          // they do not all wait for the same object
}

func (g *waiters) add(t *profile.Thread, w *profile.Wait) {
	g.threads += t.Weight()
	g.differ = g.differ || w.Object != g.first.Object || w.Peer != g.first.Peer
}

// waitPlace returns where a thread waits, by the frame of own code in which it does.
func waitPlace(w *profile.Wait, own *profile.Node) place {
	here := place{call: w.Call}
	if own != nil {
		here.function, here.line = own.Function, own.Line
	}
	return here
}
