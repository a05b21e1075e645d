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
	at := map[place]int{}
	for _, t := range p.Threads {
		w, looks := wait(p, t)
		if w == nil || t.Main {
			continue
		}
		own := waits.Waiter(t.Heaviest())
		here := waitPlace(w, own)
		at[here] += t.Weight()
		if n := at[here]; n >= leastAlike && 2*n > all && n > best.Threads {
			best = Headline{Kind: Alike, Threads: n, Wait: w, Own: own, Looks: looks}
		}
	}
	if best.Wait != nil && best.Own == nil && waits.IsParked(best.Wait) {
		return Headline{} // a library's pool, which has nothing to do
	}
	best.SameObject = best.Wait != nil && best.Wait.Object != "" && waitForOne(p, best.Wait, best.Own)
	return best
}

// waitForOne reports whether all threads that wait at a place wait for the same object.
func waitForOne(p *profile.Profile, w *profile.Wait, own *profile.Node) bool {
	here := waitPlace(w, own)
	for _, t := range p.Threads {
		other, _ := wait(p, t)
		if other == nil || t.Main || waitPlace(other, waits.Waiter(t.Heaviest())) != here {
			continue
		}
		if other.Object != w.Object || other.Peer != w.Peer {
			return false
		}
	}
	return true
}

// waitPlace returns where a thread waits, by the frame of own code in which it does.
func waitPlace(w *profile.Wait, own *profile.Node) place {
	here := place{call: w.Call}
	if own != nil {
		here.function, here.line = own.Function, own.Line
	}
	return here
}
