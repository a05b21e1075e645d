// Package across finds the other processes that threads wait for, of processes that were
// captured together. A peer is named only where the system proves it: it alone has the other
// end, is the child, or has the lock, and after all this the thread still waits as it did.
package across

import (
	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
	"stacksnap/task/live"
)

// Member is one of the processes, with what its threads left open.
type Member struct {
	Process task.Process
	Threads []task.Thread // that it had when it was captured
	Queries []waits.PeerQuery
}

// Resolve sets the peer of each wait whose peer is known.
func Resolve(members []Member) {
	r := resolver{members: members, ownersOf: live.Holders, retries: waits.NewRetries()}
	r.resolveAll()
}

func (r *resolver) resolveAll() {
	r.findEndpoints()
	for i := range r.members {
		m := &r.members[i]
		for k := range m.Queries {
			r.resolve(m, &m.Queries[k])
		}
	}
}

// resolver finds peers.
type resolver struct {
	members   []Member
	ownersOf  func([]task.End) map[task.End]task.Holders
	endpoints map[*profile.Wait]task.End // the other ends of what is read or written
	owners    map[task.End]task.Holders
	retries   waits.Retries
}

// isOfFile reports whether a query asks who has the other end of a file.
func isOfFile(q *waits.PeerQuery) bool { return q.Action == profile.Write || q.Action == profile.Read }

// findEndpoints finds the owners of all ends that are asked for, at once.
func (r *resolver) findEndpoints() {
	r.endpoints = map[*profile.Wait]task.End{}
	var all []task.End
	for i := range r.members {
		l := r.members[i].Process.Capabilities().Peers
		if l == nil {
			continue
		}
		for k := range r.members[i].Queries {
			q := &r.members[i].Queries[k]
			if !isOfFile(q) {
				continue
			}
			if e, ok := l.OtherEnd(q.FD, q.Action == profile.Read); ok {
				r.endpoints[q.Wait] = e
				all = append(all, e)
			}
		}
	}
	r.owners = r.ownersOf(all)
}

// resolve sets the peer of one wait.
func (r *resolver) resolve(m *Member, q *waits.PeerQuery) {
	l := m.Process.Capabilities().Peers
	if l == nil {
		return
	}
	peer := r.find(m, l, q)
	if peer.PID == 0 || !r.still(q) {
		return
	}
	peer.Action = q.Action
	r.describe(&peer)
	q.Wait.Peer = peer
}

// find returns the peer of a query; its PID is 0 where it is not known.
func (r *resolver) find(m *Member, l task.PeerFinder, q *waits.PeerQuery) (peer profile.Peer) {
	switch {
	case isOfFile(q):
		peer.PID, peer.Others = r.owner(m, l, q)
	case q.Action == profile.End:
		peer.PID, _ = l.Child(q.Child)
	case q.Owner != 0:
		peer.Thread, peer.PID, _ = l.SharedOwner(q.Lock, q.Owner)
	case q.Wait.OwnerPID != m.Process.Info().PID && l.LockedBy(q.FD, q.Wait.OwnerPID):
		peer.PID = q.Wait.OwnerPID
	}
	return peer
}

// owner returns the one other process that has the other end, 0 when there is not
// one; and whether some that may have it, too, could not be asked.
func (r *resolver) owner(m *Member, l task.PeerFinder, q *waits.PeerQuery) (pid int, others bool) {
	end, ok := r.endpoints[q.Wait]
	h := r.owners[end]
	if !ok || len(h.PIDs) != 1 || h.PIDs[0] == m.Process.Info().PID {
		return 0, false
	}
	if now, ok := l.OtherEnd(q.FD, q.Action == profile.Read); !ok || now != end {
		return 0, false
	}
	return h.PIDs[0], h.Unseen
}

// still reports whether a thread waits as it did, and waits a little for one that is
// on its way back into its call.
func (r *resolver) still(q *waits.PeerQuery) bool {
	for !q.Still() {
		if !r.retries.Pause() {
			return false
		}
	}
	return true
}

// describe adds what the peer is called and, of one that has one thread only, which
// it is: in the snapshot and now, as of a member's.
func (r *resolver) describe(peer *profile.Peer) {
	for i := range r.members {
		m := &r.members[i]
		info := m.Process.Info()
		if info.PID != peer.PID {
			continue
		}
		peer.Name = info.Name
		now, err := m.Process.Threads()
		if peer.Thread == 0 && err == nil && len(now) == 1 && len(m.Threads) == 1 && m.Threads[0].ID == now[0] {
			peer.Thread = now[0]
		}
		for k := range m.Threads {
			if m.Threads[k].ID == peer.Thread {
				peer.ThreadName = m.Threads[k].Name
			}
		}
		return
	}
	peer.Name = live.Name(peer.PID)
}
