package waits

import (
	"encoding/binary"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// PeerQuery is an open question: for which other process does a thread wait? Action is what
// that process has to do. Which of the other fields are set depends on it.
type PeerQuery struct {
	Wait   *profile.Wait
	Action profile.Action
	FD     int  // Write, Read: the descriptor; Release with Owner 0: that of the locked file
	Any    bool // End: any child will do; otherwise it is Child
	// Child is the process that must end. Owner is the thread that holds the lock at Lock.
	// Both are numbers as the target knows them.
	Child, Owner int
	Lock         task.Addr
	// Still reports whether the thread is still in the same wait, and the lock has the same
	// owner.
	Still func() bool
}

// PeerQueries returns the open queries of the threads found so far.
func (f *Finder) PeerQueries() []PeerQuery { return f.queries }

// query adds an open query. Whether the thread still waits is checked when the query is
// resolved.
func (f *Finder) query(w *profile.Wait, c *call, t *task.Thread, q PeerQuery) {
	asked, thread := *c, *t
	q.Wait = w
	q.Still = func() bool { return f.stillIn(&thread, &asked) }
	f.queries = append(f.queries, q)
}

// queryEnd returns a function that adds a query for the owner of the other end of a call's
// descriptor.
func queryEnd(action profile.Action) func(*Finder, *profile.Wait, *call, *task.Thread) {
	return func(f *Finder, w *profile.Wait, c *call, t *task.Thread) {
		f.query(w, c, t, PeerQuery{Action: action, FD: int(int32(c.Args[0]))})
	}
}

// The events of struct pollfd (include/uapi/asm-generic/poll.h).
const (
	pollEvents  = 4           // offset of the events
	pollReading = 1 | 2 | 64  // POLLIN, POLLPRI, POLLRDNORM
	pollWriting = 4 | 256     // POLLOUT, POLLWRNORM
	pollClosing = 0x2000 | 24 // POLLRDHUP, POLLERR, POLLHUP
)

// queryPoll adds a query for the owner of the other end, if only one descriptor is polled.
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

// waitsForEnd is WEXITED in the options of waitid (include/uapi/linux/wait.h).
const waitsForEnd = 4

// queryChild adds a query for the process whose end the thread waits for.
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

// queryOwner adds a query for the process of the thread that holds the lock at w.Addr,
// which processes share. number reads the owner again, 0 if it is unknown now.
func (f *Finder) queryOwner(w *profile.Wait, owner uint64, number func() uint64) {
	if owner == 0 || owner > futexTID || w.Owner != 0 {
		return
	}
	f.queries = append(f.queries, PeerQuery{
		Wait: w, Action: profile.Release, Lock: w.Addr, Owner: int(owner),
		Still: func() bool { return number() == owner },
	})
}
