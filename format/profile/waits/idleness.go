package waits

import "stacksnap/format/profile"

// idleness is how surely a thread that waits in a call has nothing to do.
type idleness uint8

const (
	busy    idleness = iota // it waits for one thing, such as an answer
	parked                  // as threads do that have nothing to do, but for the main one: for a condition, a time, a connection
	polling                 // as run loops do, and others that wait for one answer
	idle                    // as only run loops do, for whatever comes next
)

// IsIdle reports whether a thread that waits so has nothing to do: it waits for whatever
// comes next, as only run loops do.
func IsIdle(w *profile.Wait) bool { return idlenessOf(w) == idle }

// IsParked reports whether a thread besides the main one that waits so probably has
// nothing to do: it waits for no lock, for no thread and for no process that is known.
func IsParked(w *profile.Wait) bool { return idlenessOf(w) >= parked && w.Peer.PID == 0 }

// idlenessOf is that of a wait's call, which goes by its name: profiles keep no number.
func idlenessOf(w *profile.Wait) idleness {
	if w == nil || w.Lock != profile.NoLock {
		return busy
	}
	c, ok := linuxCalls[w.Call]
	if !ok {
		c = darwinCalls[w.Call]
	}
	if c.isMessage() && !w.Receives {
		return busy
	}
	return c.idleness
}
