package recording

import (
	"slices"

	"stacksnap/task"
)

// line is the threads of the current snapshot, in the order of the last list of ids.
// Most have not changed since the snapshot before, and then cost nothing.
type line struct {
	ids     []task.ThreadID // the listed ids
	row     []*thread       // their threads, once there is a snapshot
	out     []task.Thread   // as returned in snapshots
	still   []bool
	changed []int // indices of those changed since the last snapshot
	moving  []int // indices of those that were not still in it
}

// change replaces a thread by its new state.
func (l *line) change(t *thread) {
	if t.at == 0 {
		return
	}
	l.row[t.at-1] = t
	if !t.touched {
		t.touched = true
		l.changed = append(l.changed, t.at-1)
	}
}

// gather fills in the listed threads, and drops all others.
func (s *state) gather(out *Sample, listed bool) error {
	var err error
	if out.Same = !listed && !s.learnt && s.line.row != nil; out.Same {
		s.line.update()
	} else {
		err = s.lineUp()
	}
	if err != nil {
		return err
	}
	out.Threads, out.Still, out.Changed = slices.Clip(s.line.out), s.line.still, s.line.moving
	s.learnt = false
	s.gatherLooks(out)
	return s.forget()
}

// update applies the changes since the last snapshot.
func (l *line) update() {
	for _, i := range l.moving {
		l.still[i] = true
	}
	l.moving = append(l.moving[:0], l.changed...)
	for _, i := range l.moving {
		l.still[i] = !l.row[i].moved
		l.take(i)
	}
	l.changed = l.changed[:0]
}

// take copies a thread's current state to the output.
func (l *line) take(i int) {
	t := l.row[i]
	l.out[i] = t.Thread
	l.out[i].Stacks = slices.Clip(t.Stacks)
	t.moved, t.touched = false, false
}

// lineUp rebuilds the line from the list of ids.
func (s *state) lineUp() error {
	l, now := &s.line, s.snapshots+1
	for _, t := range l.row {
		t.at = 0
	}
	n := len(l.ids)
	l.row, l.out, l.still = resized(l.row, n), resized(l.out, n), resized(l.still, n)
	l.changed, l.moving = l.changed[:0], l.moving[:0]
	for i, id := range l.ids {
		t := s.threads[id]
		if t == nil || t.seen == now {
			return errReused
		}
		l.still[i] = !s.learnt && !t.moved && t.seen > 0
		t.seen, t.at, l.row[i] = now, i+1, t
		l.take(i)
		if !l.still[i] {
			l.moving = append(l.moving, i)
		}
	}
	return s.charge(stepsThread * n)
}

// resized returns a zeroed slice of n elements, reusing s if it is large enough.
func resized[T any](s []T, n int) []T {
	clear(s)
	return slices.Grow(s[:0], n)[:n]
}

// forget drops the threads that are not in the line.
func (s *state) forget() error {
	n := len(s.threads)
	if n == len(s.line.row) {
		return nil
	}
	for id, t := range s.threads {
		if t.at == 0 {
			s.stackBytes -= stackBytes(t)
			delete(s.threads, id)
		}
	}
	return s.charge(stepsThread * n)
}
