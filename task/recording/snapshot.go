package recording

import (
	"slices"
	"time"

	"stacksnap/task"
)

// tally has numbers that a snapshot contains only if they differ from the one before.
type tally struct{ missed, limit, stops int }

func (before tally) append(b []byte, t tally) []byte {
	if t.missed != before.missed {
		b = appendUint(b, 6, uint64(t.missed))
	}
	if t.limit != before.limit {
		b = appendUint(b, 7, uint64(t.limit))
	}
	if t.stops != before.stops {
		b = appendUint(b, 8, uint64(t.stops))
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
		t.stops = index(m.n)
	}
}

// clock converts times to differences and back. It uses the monotonic clock where the
// times have one, so that differences stay right when the clock is set.
type clock struct {
	begun  bool
	last   time.Time
	zone   string
	offset int
}

// append appends a time. The first one is absolute, and so is one in another time
// zone.
func (c *clock) append(b []byte, t time.Time) []byte {
	zone, offset := t.Zone()
	if !c.begun || zone != c.zone || offset != c.offset {
		b = appendTimeIf(b, 1, t)
		c.zone, c.offset = zone, offset
	}
	if !c.begun {
		c.begun, c.last = true, t
	}
	if elapsed := t.Sub(c.last); elapsed != 0 {
		b = appendSint(b, 2, int64(elapsed))
	}
	c.last = t
	return b
}

// next returns the time that is recorded as absolute or as a difference.
func (c *clock) next(told time.Time, elapsed time.Duration) time.Time {
	switch {
	case !c.begun:
		c.begun, c.last = true, told
	case !told.IsZero():
		c.last = c.last.In(told.Location())
	}
	c.last = c.last.Add(elapsed)
	return c.last
}

func (w *Writer) appendSnapshot(b []byte, s *Sample) []byte {
	b = w.clock.append(b, s.Time)
	b = appendUintIf(b, 3, uint64(s.Stopped))
	b = w.appendIDs(b, s.Threads)
	t := tally{s.Missed, s.Limit, s.Stops}
	b = w.tally.append(b, t)
	w.tally = t
	b = appendUintIf(b, 9, uint64(s.MissedTicks))
	if s.LongestStop != s.Stopped {
		b = appendUint(b, 10, uint64(s.LongestStop))
	}
	for _, d := range s.OtherStops {
		b = appendUint(b, 11, uint64(d))
	}
	for _, n := range s.Notes {
		b = appendBytes(b, 12, n)
	}
	return appendBoolIf(b, 13, s.Whole)
}

// appendIDs appends the list of threads if it has changed.
func (w *Writer) appendIDs(b []byte, threads []task.Thread) []byte {
	if slices.EqualFunc(w.ids, threads, func(id task.ThreadID, t task.Thread) bool { return id == t.ID }) {
		return b
	}
	w.ids = w.ids[:0]
	for i := range threads {
		w.ids = append(w.ids, threads[i].ID)
		b = appendUint(b, 4, uint64(threads[i].ID))
	}
	if len(threads) == 0 {
		b = appendUint(b, 5, 1)
	}
	return b
}

// snapshot returns the snapshot that a Snapshot record completes.
func (s *state) snapshot(data []byte) (*Sample, error) {
	out := &Sample{Snapshot: new(task.Snapshot)}
	p := snapshotParser{state: s, out: out}
	m := newMessage(data)
	for m.next() {
		p.parse(&m)
	}
	if m.err != nil {
		return nil, m.err
	}
	out.Time = s.clock.next(p.told, p.elapsed)
	out.Missed, out.Limit, out.Stops = s.tally.missed, s.tally.limit, s.tally.stops
	if !p.longest {
		out.LongestStop = out.Stopped
	}
	return out, s.gather(out, p.listed)
}

// snapshotParser decodes a Snapshot record.
type snapshotParser struct {
	*state
	out     *Sample
	told    time.Time
	elapsed time.Duration
	listed  bool // the record has ids
	longest bool // the record has LongestStop
}

func (p *snapshotParser) parse(m *message) {
	switch m.field {
	case 1:
		p.told = m.time()
	case 2:
		p.elapsed = time.Duration(m.sint())
	case 3:
		p.out.Stopped = duration(m.n)
	case 4, 5:
		if !p.listed {
			p.line.ids, p.listed = p.line.ids[:0], true
		}
		if m.field == 4 {
			m.packed(p.list)
		}
	case 9:
		p.out.MissedTicks = index(m.n)
	case 10:
		p.out.LongestStop, p.longest = duration(m.n), true
	case 11:
		m.packed(p.otherStop)
	case 12:
		p.out.Notes = appendNote(p.out.Notes, m)
	case 13:
		p.out.Whole = m.bool()
	default:
		p.tally.parse(m)
	}
}

func (p *snapshotParser) otherStop(n uint64) error {
	if len(p.out.OtherStops) == maxNotes {
		return errTooBig
	}
	p.out.OtherStops = append(p.out.OtherStops, duration(n))
	return nil
}

func (s *state) list(id uint64) error {
	if len(s.line.ids) == maxThreads {
		return errTooBig
	}
	s.line.ids = append(s.line.ids, task.ThreadID(id))
	return nil
}
