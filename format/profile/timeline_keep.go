package profile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"stacksnap/task"
)

const (
	// maxTimelines bounds the bytes that all timelines of a profile take.
	maxTimelines = 128 << 20
	maxLooks     = 1 << 16 // of one thread: nine hours of them, at one each half second
	maxSought    = 64      // different things that one thread waited for
)

// KeepTimelines has the profile keep when each sample of a thread was taken and what it
// found, in the order of time: see [Profile.Moments]. It is told before the first snapshot
// is added.
func (b *Builder) KeepTimelines() { b.times = &times{room: maxTimelines} }

// times are when snapshots were taken, and what is left of the room for timelines.
type times struct {
	bytes []byte // see snapshotTimes
	last  time.Duration
	step  time.Duration
	room  int
	ended bool // there is no room any more
}

// add adds the time of a snapshot, after the start.
func (c *times) add(at time.Duration) {
	at = max(at, c.last) // a clock may be set back
	step := at - c.last
	before := len(c.bytes)
	c.bytes = binary.AppendVarint(c.bytes, int64(step-c.step))
	c.last, c.step = at, step
	c.room -= len(c.bytes) - before
}

// keep notes the time of a snapshot, where that is wanted.
func (b *Builder) keepTime(at time.Time) {
	c := b.times
	if c == nil || c.ended {
		return
	}
	c.add(at.Sub(b.p.Start))
	if c.room <= 0 {
		b.finishRow()
		c.ended = true
		b.Note(fmt.Sprintf("the timelines end after %s: they take %d MB by then", c.last.Round(time.Millisecond), maxTimelines>>20))
	}
}

// moments is a timeline while it is added to.
type moments struct {
	Timeline
	numbers map[*Node]int // of leaves
	open    run           // the last one, which may go on
	ended   int           // the snapshot before which the last run that was stored ends
	used    time.Duration // CPU time that the thread had used by the last sample
	counts  bool          // used is known
}

func newMoments() *moments {
	return &moments{numbers: map[*Node]int{}, Timeline: Timeline{leaves: []*Node{noFrame}}}
}

// keepMoments adds the last sample of a thread to its timeline, as it is n times in a row,
// of which the last is that of a snapshot.
func (b *Builder) keepMoments(r *record, snapshot, n int) {
	if b.times == nil || b.times.ended || r.into != nil || n == 0 {
		return
	}
	if r.moments == nil {
		r.moments = newMoments()
	}
	m := r.moments
	used, known := b.used(r)
	cpu, kind := m.spend(used, known)
	leaf := 0
	if len(r.path) > 0 {
		leaf = m.number(r.path[len(r.path)-1])
	}
	before := len(m.runs) + len(m.open.times)
	m.add(run{first: snapshot - n + 1, samples: 1, leaf: leaf, state: r.told.state, kind: kind}, cpu)
	if n > 1 {
		_, kind = m.spend(used, known)
		m.add(run{first: snapshot - n + 2, samples: n - 1, leaf: leaf, state: r.told.state, kind: kind}, 0)
	}
	b.times.room -= len(m.runs) + len(m.open.times) - before
}

// spend takes over how much CPU time a thread has used, and returns what is new of it.
func (m *moments) spend(used time.Duration, known bool) (cpu time.Duration, kind cpuKind) {
	before, counted := m.used, m.counts
	m.used, m.counts = used, known
	switch cpu = (used - before).Truncate(time.Microsecond); {
	case !known || !counted || cpu < 0:
		return 0, unknownCPU
	case cpu == 0:
		return 0, noCPU
	}
	return cpu, eachCPU
}

// number is that of a leaf.
func (m *moments) number(n *Node) int {
	i, ok := m.numbers[n]
	if !ok {
		i = len(m.leaves)
		m.numbers[n] = i
		m.leaves = append(m.leaves, n)
	}
	return i
}

// add adds samples that are one run or, with CPU time, a single one.
func (m *moments) add(r run, cpu time.Duration) {
	o := &m.open
	if o.samples == 0 || o.leaf != r.leaf || o.state != r.state || o.kind != r.kind || o.first+o.samples != r.first {
		m.store()
		times := o.times[:0]
		*o = r
		o.times = times
	} else {
		o.samples += r.samples
	}
	if r.kind == eachCPU {
		o.times = binary.AppendUvarint(o.times, uint64(cpu/time.Microsecond))
	}
}

// store stores the open run, if there is one.
func (m *moments) store() {
	r := &m.open
	if r.samples == 0 {
		return
	}
	m.runs, m.ended = r.appendTo(m.runs, m.ended), r.first+r.samples
}

// appendTo stores a run behind those that end before a snapshot.
func (r *run) appendTo(runs []byte, ended int) []byte {
	skipped := uint64(r.first - ended)
	head := uint64(r.samples)<<countFrom | uint64(r.kind)<<stateBits | uint64(r.state)
	if skipped > 0 {
		head |= skipBit
	}
	runs = binary.AppendUvarint(runs, head)
	if skipped > 0 {
		runs = binary.AppendUvarint(runs, skipped)
	}
	return append(binary.AppendUvarint(runs, uint64(r.leaf)), r.times...)
}

// keepLook adds what the thread was found to wait for after a snapshot.
func (m *moments) keepLook(w *Wait, snapshot int) {
	if m == nil || w == nil || len(m.looks) == maxLooks || snapshot > math.MaxInt32 {
		return
	}
	number := slices.Index(m.waits, *w)
	if number < 0 && len(m.waits) < maxSought {
		number = len(m.waits)
		m.waits = append(m.waits, *w)
	}
	if number >= 0 {
		m.looks = append(m.looks, look{int32(snapshot), int32(number)})
	}
}

// timeline is what was added so far.
func (m *moments) timeline() *Timeline {
	if m == nil {
		return nil
	}
	t := m.Timeline
	t.leaves = slices.Clone(m.leaves)
	if m.open.samples > 0 {
		t.runs = m.open.appendTo(slices.Clip(m.runs), m.ended)
	}
	t.looks, t.waits = slices.Clip(m.looks), slices.Clip(m.waits)
	return &t
}

// used is the CPU time that a thread has used, by the finest counter that there is.
func (b *Builder) used(r *record) (used time.Duration, known bool) {
	switch {
	case r.told.schedule.Known():
		return r.told.schedule.Ran, true
	case b.p.Target.OS == task.Darwin && r.told.state != task.StateUnknown:
		return r.User + r.System, true
	}
	return 0, false
}
