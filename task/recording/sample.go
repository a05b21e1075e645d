package recording

import (
	"time"

	"stacksnap/task"
)

// Sample is a snapshot with what was known of it beside what it copied.
type Sample struct {
	*task.Snapshot
	// Repeat tells of each thread, in the snapshot's order, whether it has not run
	// since the snapshot before. It may be shorter: the rest did run.
	Repeat      []bool
	MissedTicks int // snapshots that were due but not taken, in all so far
	// OtherStops are how long the target was stopped since the snapshot before,
	// besides by this one.
	OtherStops []time.Duration
	Notes      []string // that came up since the snapshot before
}

// End is what is known when a recording ends, beside its snapshots.
type End struct {
	MissedTicks int // in all
	Notes       []string
}

func appendEnd(b []byte, e *End) []byte {
	b = appendUintIf(b, 1, uint64(e.MissedTicks))
	for _, n := range e.Notes {
		b = appendBytes(b, 2, n)
	}
	return b
}

func parseEnd(data []byte) (End, error) {
	var e End
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			e.MissedTicks = int(m.n)
		case 2:
			e.Notes = appendNote(e.Notes, &m)
		}
	}
	return e, m.err
}

// maxNotes bounds the notes of one message.
const maxNotes = 1 << 12

func appendNote(notes []string, m *message) []string {
	if len(notes) == maxNotes {
		m.fail(errTooBig)
		return notes
	}
	return append(notes, m.string())
}

// tally is what a snapshot tells only where it differs from the one before.
type tally struct{ missed, limit, ticks int }

func newTally(s *Sample) tally { return tally{s.Missed, s.Limit, s.MissedTicks} }

func (before tally) append(b []byte, t tally) []byte {
	if t.missed != before.missed {
		b = appendUint(b, 6, uint64(t.missed))
	}
	if t.limit != before.limit {
		b = appendUint(b, 7, uint64(t.limit))
	}
	if t.ticks != before.ticks {
		b = appendUint(b, 8, uint64(t.ticks))
	}
	return b
}

func (t *tally) parse(m *message) {
	switch m.field {
	case 6:
		t.missed = index(m.n)
	case 7:
		t.limit = index(m.n)
	case 8:
		t.ticks = index(m.n)
	}
}

// clock turns times into differences and back. Differences are those of the
// monotonic clock where the times have one, so that they stay true when someone
// sets the clock.
type clock struct {
	first, last time.Time
	zone        string
	offset      int
}

// append appends a time. The first is told in full, and so is one in another
// time zone.
func (c *clock) append(b []byte, t time.Time) []byte {
	first := c.first.IsZero()
	if first {
		c.first, c.last = t, t
	}
	if zone, offset := t.Zone(); first || zone != c.zone || offset != c.offset {
		b = appendTimeIf(b, 1, t)
		c.zone, c.offset = zone, offset
	}
	if elapsed := t.Sub(c.last); elapsed != 0 {
		b = appendSint(b, 2, int64(elapsed))
	}
	c.last = t
	return b
}

// next returns the time that is told in full, or only by what has elapsed.
func (c *clock) next(told time.Time, elapsed time.Duration) time.Time {
	switch {
	case c.first.IsZero():
		c.first, c.last = told, told
	case !told.IsZero():
		c.last = c.last.In(told.Location())
	}
	c.last = c.last.Add(elapsed)
	return c.last
}
