package waits

import (
	"encoding/binary"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// PeerQuery asks for which other process a thread waits, by what that has to do. One of the
// things that it asks for is set.
type PeerQuery struct {
	Wait   *profile.Wait
	Action profile.Action
	FD     int  // Write, Read: the descriptor; Release: of a file's lock, where Owner is 0
	Any    bool // End: any child, else that by the number Child
	// The process to end, and the thread that has the lock at Lock, as the target
	// itself knows them by number.
	Child, Owner int
	Lock         task.Addr
	// Still reports whether the thread waits as it did, and the lock has the same owner.
	Still func() bool
}

// PeerQueries returns the queries that the threads found so far leave open.
func (f *Finder) PeerQueries() []PeerQuery { return f.queries }

// query leaves a query open. Whether the thread still waits is checked when it is resolved.
func (f *Finder) query(w *profile.Wait, c *call, t *task.Thread, q PeerQuery) {
	asked, thread := *c, *t
	q.Wait = w
	q.Still = func() bool { return f.stillIn(&thread, &asked) }
	f.queries = append(f.queries, q)
}

// queryEnd queries who has the other end of the descriptor that a call is about, and has to
// act there.
func queryEnd(action profile.Action) func(*Finder, *profile.Wait, *call, *task.Thread) {
	return func(f *Finder, w *profile.Wait, c *call, t *task.Thread) {
		f.query(w, c, t, PeerQuery{Action: action, FD: int(int32(c.Args[0]))})
	}
}

// Of struct pollfd and its events (include/uapi/asm-generic/poll.h).
const (
	pollEvents  = 4           // offset of the events
	pollReading = 1 | 2 | 64  // POLLIN, POLLPRI, POLLRDNORM
	pollWriting = 4 | 256     // POLLOUT, POLLWRNORM
	pollClosing = 0x2000 | 24 // POLLRDHUP, POLLERR, POLLHUP
)

// queryPoll asks who has the other end of the only descriptor that is polled.
func (f *Finder) queryPoll(w *profile.Wait, c *call, t *task.Thread) {
	var b [pollFDSize]byte
	if c.Args[1] != 1 || task.ReadFull(f.process.Memory(), b[:], task.Addr(c.Args[0])) != nil {
		return
	}
	fd := int(int32(binary.LittleEndian.Uint32(b[:])))
	switch events := binary.LittleEndian.Uint16(b[pollEvents:]) &^ pollClosing; {
	case fd < 0 || events == 0:
	case events&^pollReading == 0:
		f.query(w, c, t, PeerQuery{Action: profile.Write, FD: fd})
	case events&^pollWriting == 0:
		f.query(w, c, t, PeerQuery{Action: profile.Read, FD: fd})
	}
}

// waitsForEnd is WEXITED among the options of waitid (include/uapi/linux/wait.h).
const waitsForEnd = 4

// queryChild asks which process is waited for.
func (f *Finder) queryChild(w *profile.Wait, c *call, t *task.Thread) {
	q := PeerQuery{Action: profile.End}
	pid := int32(c.Args[0])
	if c.shape == childID {
		kind := int32(c.Args[0])
		pid = int32(c.Args[1])
		if kind == 0 { // P_ALL
			pid = -1
		}
		if c.Args[3]&waitsForEnd == 0 || kind > 1 {
			return
		}
	}
	if q.Any = pid == -1; q.Any || pid > 0 {
		q.Child = max(int(pid), 0)
		f.query(w, c, t, q)
	}
}

// queryOwner asks whose thread has the lock at w.Addr, that processes share. Number
// reads its owner's once more, 0 when that is not known any more.
func (f *Finder) queryOwner(w *profile.Wait, owner uint64, number func() uint64) {
	if owner == 0 || owner > futexTID || w.Owner != 0 {
		return
	}
	f.queries = append(f.queries, PeerQuery{
		Wait: w, Action: profile.Release, Lock: w.Addr, Owner: int(owner),
		Still: func() bool { return number() == owner },
	})
}
