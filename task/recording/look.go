package recording

import (
	"slices"

	"stacksnap/task"
)

// Look is one observation of what a thread waits for.
type Look struct {
	Thread task.ThreadID
	Wait   *Wait // nil: it runs, or it is not known
}

// append appends the observation. before is what the last one of the thread found,
// the zero Wait for nothing.
func (l *Look) append(b []byte, before Wait) []byte {
	b = appendUint(b, 1, uint64(l.Thread))
	switch {
	case l.Wait == nil:
	case *l.Wait == before:
		b = appendUint(b, 2, 1)
	default:
		var at int
		b, at = begin(b, 3)
		b = end(appendWait(b, l.Wait), at)
	}
	return b
}

func parseLook(data []byte, before Wait) (Look, error) {
	var l Look
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			l.Thread = task.ThreadID(m.n)
		case 2:
			l.Wait = &before
		case 3:
			w, err := parseWait(m.data)
			m.fail(err)
			l.Wait = &w
		}
	}
	if l.Wait != nil && l.Wait.Call == "" {
		l.Wait = nil
	}
	return l, m.err
}

// addLook writes what a thread waits for. It may be a thread outside the current
// snapshot: the owner of a lock.
func (w *Writer) addLook(l *Look) {
	own := w.threads[l.Thread]
	if own == nil {
		at := w.begin(13)
		w.block = l.append(w.block, Wait{})
		w.end(at)
		return
	}
	at := w.begin(12)
	w.block = l.append(w.block, own.look)
	w.end(at)
	if own.look = (Wait{}); l.Wait != nil {
		own.look = *l.Wait
	}
}

// setLook reads an observation of a recorded thread.
func (s *state) setLook(data []byte) error {
	id, err := parseLook(data, Wait{})
	if err != nil {
		return err
	}
	t := s.threads[id.Thread]
	switch {
	case t == nil:
		return errReused
	case len(s.looks) == 2*maxThreads:
		return errTooBig
	}
	l, err := parseLook(data, t.look)
	if t.look = (Wait{}); l.Wait != nil {
		t.look = *l.Wait
	}
	s.looks = append(s.looks, l)
	return err
}

// setOtherLook reads an observation of a thread that is not in the snapshot.
func (s *state) setOtherLook(data []byte) error {
	if len(s.looks) == 2*maxThreads {
		return errTooBig
	}
	l, err := parseLook(data, Wait{})
	s.looks = append(s.looks, l)
	return err
}

// gatherLooks returns the observations that came before a snapshot.
func (s *state) gatherLooks(out *Sample) {
	out.Looks, s.looks = s.looks, nil
	if out.Looks == nil && s.waiting && slices.ContainsFunc(s.line.ids, func(id task.ThreadID) bool { return s.threads[id].wait.Call != "" }) {
		out.Looks, out.Whole = s.oldLooks(), true
	}
}

// oldLooks returns the observations in a recording that has each thread's wait in
// each snapshot.
func (s *state) oldLooks() (looks []Look) {
	for _, id := range s.line.ids {
		l := Look{Thread: id}
		if w := s.threads[id].wait; w.Call != "" {
			l.Wait = &w
		}
		looks = append(looks, l)
	}
	return looks
}
