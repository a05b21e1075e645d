package recording

import (
	"math"
	"time"

	"stacksnap/task"
)

// Sample is a snapshot, together with what was found out about it.
type Sample struct {
	*task.Snapshot
	// Looks are observations of what some threads waited for. Whole means that, with these, all
	// threads have been observed since the last Whole.
	Looks []Look
	Whole bool
	// OtherStops are the times for which the target was stopped since the last
	// snapshot, besides for this one.
	OtherStops []time.Duration
	Notes      []string // new since the last snapshot
	// Still says, in a snapshot that was read, for each thread that nothing from which its stack
	// is unwound has changed since the last snapshot, so that its frames are the same.
	Still []bool
	// Same means that the threads and their order are those of the last snapshot, and that only
	// the threads at the indices in Changed have changed.
	Same    bool
	Changed []int
}

// Wait is what a thread waits for. Call is never "".
type Wait struct {
	Call, Object string
	Lock         uint8 // numbered as in recording.proto
	Addr         task.Addr
	Owner        task.ThreadID
	OwnerName    string
	OwnerPID     int
	Readers      int
	Receives     bool
	Variable     string // the variable that contains the lock
	GoneOwner    task.ThreadID
	Gone         task.Outsider // what is certain of GoneOwner
	Peer         Peer          // the zero Peer: unknown
	Stalled      *task.Stalled // nil: none are known
	Hung         int           // number of threads, if none of them can wake another; 0: not known
}

func appendWait(b []byte, w *Wait) []byte {
	b = appendBytesIf(b, 1, w.Call)
	b = appendBytesIf(b, 2, w.Object)
	b = appendUintIf(b, 3, uint64(w.Lock))
	b = appendUintIf(b, 4, uint64(w.Addr))
	b = appendUintIf(b, 5, uint64(w.Owner))
	b = appendBytesIf(b, 6, w.OwnerName)
	if w.OwnerPID != 0 {
		b = appendSint(b, 7, int64(w.OwnerPID))
	}
	b = appendUintIf(b, 8, uint64(w.Readers))
	b = appendBoolIf(b, 9, w.Receives)
	b = appendBytesIf(b, 10, w.Variable)
	b = appendUintIf(b, 11, uint64(w.GoneOwner))
	if w.Peer != (Peer{}) {
		var at int
		b, at = begin(b, 12)
		b = end(appendPeer(b, &w.Peer), at)
	}
	if w.Stalled != nil {
		var at int
		b, at = begin(b, 13)
		b = end(appendStalled(b, w.Stalled), at)
	}
	b = appendUintIf(b, 14, uint64(w.Hung))
	b = appendBoolIf(b, 15, w.Gone.Ended)
	b = appendUintIf(b, 16, uint64(w.Gone.Parent))
	return appendBytesIf(b, 17, w.Gone.ParentName)
}

func parseWait(data []byte) (Wait, error) {
	var w Wait
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			w.Call = m.string()
		case 2:
			w.Object = m.string()
		case 3:
			w.Lock = uint8(min(m.n, 0xff))
		case 4:
			w.Addr = task.Addr(m.n)
		case 5:
			w.Owner = task.ThreadID(m.n)
		case 6:
			w.OwnerName = m.string()
		case 7:
			w.OwnerPID = int(m.sint())
		case 8:
			w.Readers = index(m.n)
		case 9:
			w.Receives = m.n != 0
		case 10:
			w.Variable = m.string()
		case 11:
			w.GoneOwner = task.ThreadID(m.n)
		case 12:
			p, err := parsePeer(m.data)
			m.fail(err)
			w.Peer = p
		case 13:
			s, err := parseStalled(m.data)
			m.fail(err)
			if s.Count > 0 {
				w.Stalled = s
			}
		case 14:
			w.Hung = index(m.n)
		case 15:
			w.Gone.Ended = m.n != 0
		case 16:
			w.Gone.Parent = index(m.n)
		case 17:
			w.Gone.ParentName = m.string()
		}
	}
	return w, m.err
}

// End is what is known when a recording ends, besides its snapshots.
type End struct {
	MissedTicks int // since the last snapshot
	Notes       []string
	OwnCPU      time.Duration // used by the program that captured, while it sampled
	Looks       []Look        // observations of all threads of the last snapshot, after it
	Tasks       []Task        // that no thread ran then
	TaskCircles []TaskCircle  // cycles of some of Tasks
}

func appendEnd(b []byte, e *End) []byte {
	b = appendUintIf(b, 1, uint64(e.MissedTicks))
	for _, n := range e.Notes {
		b = appendBytes(b, 2, n)
	}
	b = appendUintIf(b, 3, uint64(max(0, e.OwnCPU)))
	for i := range e.Looks {
		var at int
		b, at = begin(b, 4)
		b = end(e.Looks[i].append(b, Wait{}), at)
	}
	return b
}

func parseEnd(data []byte) (End, error) {
	var e End
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			e.MissedTicks = index(m.n)
		case 2:
			e.Notes = appendNote(e.Notes, &m)
		case 3:
			e.OwnCPU = time.Duration(min(m.n, math.MaxInt64))
		case 4:
			if len(e.Looks) == maxThreads {
				return e, errTooBig
			}
			l, err := parseLook(m.data, Wait{})
			m.fail(err)
			e.Looks = append(e.Looks, l)
		}
	}
	return e, m.err
}

// maxNotes is the maximum number of notes in one message.
const maxNotes = 1 << 12

func appendNote(notes []string, m *message) []string {
	if len(notes) == maxNotes {
		m.fail(errTooBig)
		return notes
	}
	return append(notes, m.string())
}
