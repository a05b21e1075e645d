package recording

import (
	"math"
	"time"

	"stacksnap/task"
)

// Peer is a process, or a thread of it, that can end a wait.
type Peer struct {
	PID        int
	Name       string
	Thread     task.ThreadID // 0: unknown
	ThreadName string
	Action     uint8 // numbered as in recording.proto
	Others     bool  // processes that could not be examined may be able to end the wait too
	Self       bool  // it is the process of the waiting thread
	AlsoSelf   bool  // it and the process of the waiting thread both have the other end
}

func appendPeer(b []byte, p *Peer) []byte {
	b = appendUintIf(b, 1, uint64(p.PID))
	b = appendBytesIf(b, 2, p.Name)
	b = appendUintIf(b, 3, uint64(p.Thread))
	b = appendBytesIf(b, 4, p.ThreadName)
	b = appendUintIf(b, 5, uint64(p.Action))
	b = appendBoolIf(b, 6, p.Others)
	b = appendBoolIf(b, 7, p.Self)
	return appendBoolIf(b, 8, p.AlsoSelf)
}

func parsePeer(data []byte) (Peer, error) {
	var p Peer
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			p.PID = index(m.n)
		case 2:
			p.Name = m.string()
		case 3:
			p.Thread = task.ThreadID(m.n)
		case 4:
			p.ThreadName = m.string()
		case 5:
			p.Action = uint8(min(m.n, 0xff))
		case 6:
			p.Others = m.n != 0
		case 7:
			p.Self = m.n != 0
		case 8:
			p.AlsoSelf = m.n != 0
		}
	}
	return p, m.err
}

func appendStalled(b []byte, s *task.Stalled) []byte {
	b = appendUintIf(b, 1, uint64(s.State))
	b = appendUintIf(b, 2, uint64(s.Count))
	b = appendBytesIf(b, 3, s.Remote)
	b = appendUintIf(b, 4, uint64(s.Since))
	b = appendUintIf(b, 5, s.Unread)
	b = appendUintIf(b, 6, uint64(s.PID))
	b = appendBytesIf(b, 7, s.Name)
	return appendUintIf(b, 8, uint64(s.Others))
}

func parseStalled(data []byte) (*task.Stalled, error) {
	s := &task.Stalled{}
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			s.State = task.ConnectionState(min(m.n, 0xff))
		case 2:
			s.Count = index(m.n)
		case 3:
			s.Remote = m.string()
		case 4:
			s.Since = time.Duration(min(m.n, math.MaxInt64))
		case 5:
			s.Unread = m.n
		case 6:
			s.PID = index(m.n)
		case 7:
			s.Name = m.string()
		case 8:
			s.Others = index(m.n)
		}
	}
	return s, m.err
}
