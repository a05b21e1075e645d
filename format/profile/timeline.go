package profile

import (
	"encoding/binary"
	"iter"
	"time"

	"stacksnap/task"
)

// Timeline is what each sample of a thread has found, in the order of time. It takes no
// more than a few bytes for samples that found the same, one after another.
type Timeline struct {
	// leaves are the innermost frames of stacks, by the numbers that the samples have:
	// nil where a view leaves out what ends there, and noFrame first.
	leaves []*Node
	runs   []byte // see run
	looks  []look
	waits  []Wait
}

// look is one that has found the thread to wait for something: after which snapshot, and
// the number of that.
type look struct{ snapshot, wait int32 }

// noFrame is the leaf of samples whose innermost frame is not known.
var noFrame = &Node{}

// Moment is one sample of a thread.
type Moment struct {
	Snapshot int           // in which it was, counted from 0
	At       time.Duration // after the profile's Start
	// Until is when the next snapshot was taken, whether the thread is in it or not. The
	// last one stands for an interval.
	Until time.Duration
	Node  *Node // the innermost frame; nil: none is known
	State task.State
	// CPU is what the thread has used since its sample before; negative where that is not
	// known.
	CPU time.Duration
	// Wait is what a look right after the sample has found the thread to wait for. Few
	// samples have a look; nil where there was none, or it found nothing.
	Wait *Wait
}

// Moments gives the samples of a thread in the order of time, but for those that a view
// leaves out; there are none where [Profile.HasTimeline] says so.
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

// wait is what a look after a snapshot has found, nil where it found nothing or there was
// none. Rest are the looks after those that were asked for.
func (t *Timeline) wait(snapshot int, rest *[]look) *Wait {
	for len(*rest) > 0 && int((*rest)[0].snapshot) < snapshot {
		*rest = (*rest)[1:]
	}
	if len(*rest) == 0 || int((*rest)[0].snapshot) != snapshot {
		return nil
	}
	return &t.waits[(*rest)[0].wait]
}

// HasTimeline reports whether the profile has kept when each sample was taken, of any
// thread.
func (p *Profile) HasTimeline() bool {
	for _, t := range p.Threads {
		if t.Timeline != nil {
			return true
		}
	}
	return false
}

// run is samples one after another that found the same. It is stored as a number that
// has, from the lowest bit on, three bits of the state, two of cpuKind, one that says
// whether snapshots without the thread are before it, and how many samples there are;
// then the number of these snapshots, if any; the number of the leaf; and of
// eachCPU the microseconds of CPU time of each sample. All numbers are varints.
type run struct {
	first, samples int // snapshots
	leaf           int
	state          task.State
	kind           cpuKind
	times          []byte // of eachCPU
}

// cpuKind is what is known of the CPU time of the samples of a run.
type cpuKind uint8

const (
	unknownCPU cpuKind = iota
	noCPU              // none of them has used any
	eachCPU            // it is told of each
)

const (
	stateBits = 3
	kindBits  = 2
	skipBit   = 1 << (stateBits + kindBits)
	countFrom = stateBits + kindBits + 1
)

// all gives the runs.
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

// cpu is the CPU time of the sample i, asked for in order.
func (r *run) cpu(i int) time.Duration {
	switch r.kind {
	case noCPU:
		return 0
	case eachCPU:
		return time.Duration(number(&r.times)) * time.Microsecond
	}
	return -1
}

// number takes one from the front.
func number(from *[]byte) uint64 {
	v, n := binary.Uvarint(*from)
	*from = (*from)[n:]
	return v
}

// snapshotTimes reads when snapshots were taken, in their order.
type snapshotTimes struct {
	rest      []byte // varints: how much longer after the one before than that after its own; none: all are an interval apart
	number    int    // of the snapshot at
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

// read reads when the next snapshot was taken.
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

// at returns when a snapshot was taken, and when the next. They are asked for in order.
func (s *snapshotTimes) at(snapshot int) (at, until time.Duration) {
	for ; s.number < snapshot; s.number++ {
		s.now = s.next
		s.read()
	}
	return s.now, s.next
}
