package recording

import "stacksnap/task"

// Peer is a process, or a thread of it, that can end a wait.
type Peer struct {
	PID        int
	Name       string
	Thread     task.ThreadID // 0: unknown
	ThreadName string
	Action     uint8 // numbered as in recording.proto
	Others     bool  // processes that could not be examined may be able to end the wait too
	Self       bool  // it is the process of the waiting thread
}

func appendPeer(b []byte, p *Peer) []byte {
	b = appendUintIf(b, 1, uint64(p.PID))
	b = appendBytesIf(b, 2, p.Name)
	b = appendUintIf(b, 3, uint64(p.Thread))
	b = appendBytesIf(b, 4, p.ThreadName)
	b = appendUintIf(b, 5, uint64(p.Action))
	b = appendBoolIf(b, 6, p.Others)
	return appendBoolIf(b, 7, p.Self)
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
		}
	}
	return p, m.err
}
