// Package across tells for which other processes threads wait, of processes that
// were captured together. It tells of one only what the system proves: that it is
// the only one that has the other end, that it is the child, that it has the lock,
// and that after all this the thread still waits as it did.
package across

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/waits"
	"stacksnap/task"
	"stacksnap/task/live"
)

// Member is one of the processes, with what its threads wait for.
type Member struct {
	Process   task.Process
	Threads   []task.Thread // that it had when it was captured
	Questions []waits.Question
}

// patience bounds the time in which threads that were stopped are expected to be
// back in their calls.
const (
	patience = 20 * time.Millisecond
	pause    = 500 * time.Microsecond
)

// Tell sets the peers of all waits of which they are known.
func Tell(members []Member) {
	r := resolver{members: members, holdersOf: live.Holders, patience: patience}
	r.tell()
}

func (r *resolver) tell() {
	r.findEnds()
	for i := range r.members {
		m := &r.members[i]
		for k := range m.Questions {
			r.answer(m, &m.Questions[k])
		}
	}
}

// resolver finds peers.
type resolver struct {
	members   []Member
	holdersOf func([]task.End) map[task.End]task.Holders
	ends      map[*profile.Wait]task.End // the other ends of what is read or written
	holders   map[task.End]task.Holders
	patience  time.Duration // that is left
}

// isOfFile reports whether a question is about the two ends of something.
func isOfFile(q *waits.Question) bool { return q.Act == profile.Write || q.Act == profile.Read }

// findEnds looks for whoever has the ends that are asked for, all at once.
func (r *resolver) findEnds() {
	r.ends = map[*profile.Wait]task.End{}
	var all []task.End
	for i := range r.members {
		l := r.members[i].Process.Capabilities().Peers
		for k := range r.members[i].Questions {
			q := &r.members[i].Questions[k]
			if l == nil || !isOfFile(q) {
				continue
			}
			if e, ok := l.OtherEnd(q.FD, q.Act == profile.Read); ok {
				r.ends[q.Wait] = e
				all = append(all, e)
			}
		}
	}
	r.holders = r.holdersOf(all)
}

// answer tells of one wait.
func (r *resolver) answer(m *Member, q *waits.Question) {
	l := m.Process.Capabilities().Peers
	if l == nil {
		return
	}
	peer := r.find(m, l, q)
	if peer.PID == 0 || !r.still(q) {
		return
	}
	peer.Act = q.Act
	r.describe(&peer)
	q.Wait.Peer = peer
}

// find returns who is meant; its PID is 0 where that is not known.
func (r *resolver) find(m *Member, l task.PeerFinder, q *waits.Question) (peer profile.Peer) {
	switch {
	case isOfFile(q):
		peer.PID, peer.Others = r.holder(m, l, q)
	case q.Act == profile.End:
		peer.PID, _ = l.Child(q.Child)
	case q.Owner != 0:
		peer.Thread, peer.PID, _ = l.SharedOwner(q.Lock, q.Owner)
	case q.Wait.OwnerPID != m.Process.Info().PID && l.LockedBy(q.FD, q.Wait.OwnerPID):
		peer.PID = q.Wait.OwnerPID
	}
	return peer
}

// holder returns the one other process that has the other end, 0 when there is not
// one; and whether some that may have it, too, could not be asked.
func (r *resolver) holder(m *Member, l task.PeerFinder, q *waits.Question) (pid int, others bool) {
	end, ok := r.ends[q.Wait]
	h := r.holders[end]
	if !ok || len(h.PIDs) != 1 || h.PIDs[0] == m.Process.Info().PID {
		return 0, false
	}
	if now, ok := l.OtherEnd(q.FD, q.Act == profile.Read); !ok || now != end {
		return 0, false
	}
	return h.PIDs[0], h.Unseen
}

// still reports whether a thread waits as it did, and waits a little for one that is
// on its way back into its call.
func (r *resolver) still(q *waits.Question) bool {
	for !q.Still() {
		if r.patience <= 0 {
			return false
		}
		r.patience -= pause
		time.Sleep(pause)
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
