// Package across resolves waits for other processes, and waits for the other end of a file that
// the waiting process has itself. A peer is named only if the system proves it: it is the only
// owner of the other end, is the child, or holds the lock, and the thread still waits in the
// same way afterwards. A further kind of file is added where files are asked for: in OtherEnd and
// Owners of package procfs.
package across

import (
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
	"stacksnap/task/live"
)

// Member is one of the captured processes, with its threads' open queries.
type Member struct {
	Process task.Process
	Threads []task.Thread // threads of the process when it was captured
	Queries []waits.PeerQuery
}

// Resolve sets the peer of each wait whose peer can be proven. If it takes longer than a limit
// other than 0, it sets none, so that threads that wait alike are reported alike.
func Resolve(members []Member, limit time.Duration) {
	r := resolver{members: members, ownersOf: live.Owners, retries: waits.NewRetries()}
	if limit > 0 {
		r.until = time.Now().Add(limit)
	}
	if !r.resolveAll() {
		r.forget()
	}
}

// resolveAll reports whether there was time for all queries.
func (r *resolver) resolveAll() bool {
	if !r.findEndpoints() {
		return false
	}
	for i := range r.members {
		m := &r.members[i]
		peers := m.Process.Capabilities().Peers
		for k := 0; peers != nil && k < len(m.Queries); k++ {
			if r.isLate() {
				return false
			}
			r.resolve(m, peers, &m.Queries[k])
		}
	}
	return true
}

func (r *resolver) isLate() bool { return !r.until.IsZero() && time.Now().After(r.until) }

// forget removes all peers.
func (r *resolver) forget() {
	for i := range r.members {
		for k := range r.members[i].Queries {
			r.members[i].Queries[k].Wait.Peer = profile.Peer{}
		}
	}
}

// resolver finds peers.
type resolver struct {
	members   []Member
	ownersOf  func([]task.Endpoint, time.Time) map[task.Endpoint]task.Owners
	until     time.Time                       // zero: there is no limit
	endpoints map[*profile.Wait]task.Endpoint // other end of each descriptor in a query
	owners    map[task.Endpoint]task.Owners
	retries   waits.Retries
}

// isOfFile reports whether a query is for the owner of a descriptor's other end.
func isOfFile(q *waits.PeerQuery) bool { return q.Action == profile.Write || q.Action == profile.Read }

// findEndpoints finds the owners of all other ends at once. It reports whether there was time
// for that.
func (r *resolver) findEndpoints() bool {
	r.endpoints = map[*profile.Wait]task.Endpoint{}
	var all []task.Endpoint
	for i := range r.members {
		peers := r.members[i].Process.Capabilities().Peers
		if peers == nil {
			continue
		}
		for k := range r.members[i].Queries {
			q := &r.members[i].Queries[k]
			if !isOfFile(q) {
				continue
			}
			if r.isLate() {
				return false
			}
			if e, ok := peers.OtherEnd(q.FD, q.Action == profile.Read); ok {
				r.endpoints[q.Wait] = e
				all = append(all, e)
			}
		}
	}
	r.owners = r.ownersOf(all, r.until)
	return r.owners != nil || len(all) == 0
}

// resolve sets the peer of one wait.
func (r *resolver) resolve(m *Member, peers task.PeerFinder, q *waits.PeerQuery) {
	peer := r.find(m, peers, q)
	if peer.PID == 0 || !r.still(q) {
		return
	}
	peer.Action = q.Action
	peer.Self = peer.PID == m.Process.Info().PID
	r.describe(&peer)
	q.Wait.Peer = peer
}

// find returns the peer for a query; its PID is 0 if it is unknown.
func (r *resolver) find(m *Member, peers task.PeerFinder, q *waits.PeerQuery) (peer profile.Peer) {
	switch {
	case isOfFile(q):
		peer = r.owner(m, peers, q)
	case q.Action == profile.End:
		peer.PID, _ = peers.Child(q.Child)
	case q.Owner != 0:
		peer.Thread, peer.PID, _ = peers.SharedOwner(q.Lock, q.Owner)
	case q.Wait.OwnerPID != m.Process.Info().PID && peers.LockedBy(q.FD, q.Wait.OwnerPID):
		peer.PID = q.Wait.OwnerPID
	}
	return peer
}

// owner returns the only process that owns the other end; none if nobody or several do. It may be
// the waiting process itself. If that and one other own it, owner returns the other.
func (r *resolver) owner(m *Member, peers task.PeerFinder, q *waits.PeerQuery) (peer profile.Peer) {
	end, ok := r.endpoints[q.Wait]
	h := r.owners[end]
	self := m.Process.Info().PID
	pids := slices.DeleteFunc(slices.Clone(h.PIDs), func(pid int) bool { return pid == self && len(h.PIDs) == 2 })
	if !ok || len(pids) != 1 {
		return peer
	}
	if now, ok := peers.OtherEnd(q.FD, q.Action == profile.Read); !ok || now != end {
		return peer
	}
	return profile.Peer{PID: pids[0], Others: h.Unseen, AlsoSelf: len(pids) < len(h.PIDs)}
}

// still reports whether a thread still waits in the same way. It pauses for a thread that
// is on its way back into its call.
func (r *resolver) still(q *waits.PeerQuery) bool {
	for !q.Still() {
		if !r.retries.Pause() {
			return false
		}
	}
	return true
}

// describe adds the peer's name and, if it is another process that has only one thread, both
// in the snapshot and now, that thread.
func (r *resolver) describe(peer *profile.Peer) {
	for i := range r.members {
		m := &r.members[i]
		info := m.Process.Info()
		if info.PID != peer.PID {
			continue
		}
		peer.Name = info.Name
		if peer.Self {
			return
		}
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
