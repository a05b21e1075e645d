package profile

import (
	"encoding/binary"
	"iter"
	"time"

	"stacksnap/task"
)

// Timeline is the samples of a thread in the order of time. Consecutive equal samples take
// only a few bytes.
type Timeline struct {
	// leaves are the innermost frames, by their number in runs. The first is noFrame. An
	// entry is nil if a view leaves out the samples that end there.
	leaves []*Node
	runs   []byte // see run
	looks  []look
	waits  []Wait
}

// look is an observation that found the thread waiting: the snapshot before it, and the
// wait's number.
type look struct{ snapshot, wait int32 }

// noFrame is the leaf of samples without any frame.
var noFrame = &Node{}

// Moment is one sample of a thread.
type Moment struct {
	Snapshot int           // index of the snapshot
	At       time.Duration // time after the profile's Start
	// Until is the time of the next snapshot, even if that does not have the thread. The
	// last one lasts for an interval.
	Until time.Duration
	Node  *Node // the innermost frame; nil: unknown
	State task.State
	// CPU is the thread's CPU time since its previous sample; negative if unknown.
	CPU time.Duration
	// Wait is the wait that was observed right after the sample; nil if it was not observed
	// (as for most samples), or if there was none.
	Wait *Wait
}

// Moments iterates over the samples of a thread in the order of time, without those that a
// view leaves out. There are none unless [Profile.HasTimeline].
func (p *Profile) Moments(t *Thread) iter.Seq[Moment] {
	return func(yield func(Moment) bool) {
		if t.Timeline == nil {
			return
		}
		clock, looks := newSnapshotTimes(p.times, p.Interval), t.Timeline.looks
		for r := range t.Timeline.all() {
			leaf := t.Timeline.leaves[r.leaf]
			for i := range r.samples {
				m := Moment{Snapshot: r.first + i, Node: leaf, State: r.state, CPU: r.cpu(i)}
				m.At, m.Until = clock.at(m.Snapshot)
				m.Wait = t.Timeline.wait(m.Snapshot, &looks)
				if leaf == noFrame {
					m.Node = nil
				}
				if leaf != nil && !yield(m) {
					return
				}
			}
		}
	}
}

// wait returns the wait observed after a snapshot, nil if there is none. rest are the
// observations after those returned so far.
func (t *Timeline) wait(snapshot int, rest *[]look) *Wait {
	for len(*rest) > 0 && int((*rest)[0].snapshot) < snapshot {
		*rest = (*rest)[1:]
	}
	if len(*rest) == 0 || int((*rest)[0].snapshot) != snapshot {
		return nil
	}
	return &t.waits[(*rest)[0].wait]
}

// HasTimeline reports whether the profile has the times of the samples of any thread.
func (p *Profile) HasTimeline() bool {
	for _, t := range p.Threads {
		if t.Timeline != nil {
			return true
		}
	}
	return false
}

// run is consecutive samples with equal results. It is stored as varints. The first has,
// from the lowest bit on, three bits of the state, two of cpuKind, one that is set if
// snapshots without the thread precede it, and the number of samples. Then follow the
// number of those snapshots, if any; the number of the leaf; and, for eachCPU, the CPU time
// of each sample in microseconds.
type run struct {
	first, samples int // first snapshot, and number of samples
	leaf           int
	state          task.State
	kind           cpuKind
	times          []byte // CPU times, for eachCPU
}

// cpuKind is the way in which the CPU times of a run are stored.
type cpuKind uint8

const (
	unknownCPU cpuKind = iota
	noCPU              // 0 for each sample
	eachCPU            // stored for each sample
)

const (
	stateBits = 3
	kindBits  = 2
	skipBit   = 1 << (stateBits + kindBits)
	countFrom = stateBits + kindBits + 1
)

// all iterates over the runs.
func (t *Timeline) all() iter.Seq[*run] {
	return func(yield func(*run) bool) {
		var r run
		next := 0
		for rest := t.runs; len(rest) > 0; {
			head := number(&rest)
			r = run{first: next, samples: int(head >> countFrom), state: task.State(head & (1<<stateBits - 1)), kind: cpuKind(head >> stateBits & (1<<kindBits - 1))}
			if head&skipBit != 0 {
				r.first += int(number(&rest))
			}
			r.leaf = int(number(&rest))
			next = r.first + r.samples
			if r.kind == eachCPU {
				r.times = rest
				for range r.samples {
					number(&rest)
				}
			}
			if !yield(&r) {
				return
			}
		}
	}
}

// cpu returns the CPU time of sample i. It must be called in order.
func (r *run) cpu(i int) time.Duration {
	switch r.kind {
	case noCPU:
		return 0
	case eachCPU:
		return time.Duration(number(&r.times)) * time.Microsecond
	}
	return -1
}

// number reads a varint from the front.
func number(from *[]byte) uint64 {
	v, n := binary.Uvarint(*from)
	*from = (*from)[n:]
	return v
}

// snapshotTimes reads the times of snapshots, in order.
type snapshotTimes struct {
	rest      []byte // varints: second differences of the times; none: all are an interval apart
	number    int    // index of the snapshot taken at now
	now, next time.Duration
	step      time.Duration
	interval  time.Duration
}

func newSnapshotTimes(times []byte, interval time.Duration) *snapshotTimes {
	s := &snapshotTimes{rest: times, number: -1, interval: interval}
	if len(times) > 0 {
		s.read()
	}
	return s
}

// read reads the time of the next snapshot.
func (s *snapshotTimes) read() {
	if len(s.rest) == 0 {
		s.next = s.now + s.interval
		return
	}
	change, n := binary.Varint(s.rest)
	s.rest = s.rest[n:]
	s.step += time.Duration(change)
	s.next += s.step
}

// at returns the times of a snapshot and of the next. It must be called in order.
func (s *snapshotTimes) at(snapshot int) (at, until time.Duration) {
	for ; s.number < snapshot; s.number++ {
		s.now = s.next
		s.read()
	}
	return s.now, s.next
}
