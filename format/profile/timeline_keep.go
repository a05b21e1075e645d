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
	// maxTimelines bounds the size, in bytes, of all timelines of a profile.
	maxTimelines = 128 << 20
	maxLooks     = 1 << 16 // observations of one thread: nine hours at one each half second
	maxSought    = 64      // different waits of one thread
)

// KeepTimelines makes the builder keep the time and result of each sample: see
// [Profile.Moments]. It must be called before the first snapshot is added.
func (b *Builder) KeepTimelines() { b.times = &times{room: maxTimelines} }

// times are the times of snapshots, and the room that is left for timelines.
type times struct {
	bytes []byte // see snapshotTimes
	last  time.Duration
	step  time.Duration
	room  int
	ended bool // no room is left
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

// keepTime adds the time of a snapshot, if timelines are kept.
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

// moments is a timeline that is being built.
type moments struct {
	Timeline
	numbers map[*Node]int // number of each leaf
	open    run           // the last run, which may continue
	ended   int           // index of the snapshot after the last stored run
	used    time.Duration // CPU time of the thread at the last sample
	counts  bool          // used is known
}

func newMoments() *moments {
	return &moments{numbers: map[*Node]int{}, Timeline: Timeline{leaves: []*Node{noFrame}}}
}

// keepMoments adds the last sample of a thread to its timeline, n times, for the snapshots
// up to that one.
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

// spend sets the thread's CPU time, and returns the increase.
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

// number returns the number of a leaf.
func (m *moments) number(n *Node) int {
	i, ok := m.numbers[n]
	if !ok {
		i = len(m.leaves)
		m.numbers[n] = i
		m.leaves = append(m.leaves, n)
	}
	return i
}

// add adds a run; one with a CPU time must have only one sample.
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

// appendTo stores a run after runs that end before that snapshot.
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

// keepLook adds the wait that was observed after a snapshot.
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

// timeline returns the timeline so far.
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

// used returns the CPU time of a thread, from the finest counter available.
func (b *Builder) used(r *record) (used time.Duration, known bool) {
	switch {
	case r.told.schedule.Known():
		return r.told.schedule.Ran, true
	case b.p.Target.OS == task.Darwin && r.told.state != task.StateUnknown:
		return r.User + r.System, true
	}
	return 0, false
}
