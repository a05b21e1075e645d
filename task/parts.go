package task

import (
	"slices"
	"time"
)

// The cost of stopping many threads: each has to wake, stop, be copied and be released, which
// takes about 20 µs for a thread that slept.
const (
	stopOfOne = 25 * time.Microsecond // expected for one thread
	leastPart = 32                    // threads that are always stopped at once
)

// Parts divides many threads into parts that are stopped one after another, so that no stop
// lasts too long.
type Parts struct {
	left []ThreadID
	most time.Duration // the longest that a stop may last
	size int           // of the next part
}

// Divide divides the threads of a process into parts that are stopped one after another. It
// returns nil if a stop of all of them is expected to take at most the time most, or if the
// process can only be stopped as a whole.
func Divide(p Process, ids []ThreadID, most time.Duration) *Parts {
	if most <= 0 {
		most = DefaultMaxStop
	}
	if time.Duration(len(ids))*stopOfOne <= most || !p.Capabilities().Partial {
		return nil
	}
	parts := &Parts{left: append([]ThreadID(nil), ids...), most: most}
	parts.size = parts.first()
	return parts
}

// Next returns the next part, nil when there is none.
func (p *Parts) Next() []ThreadID {
	n := min(p.size, len(p.left))
	if n == 0 {
		return nil
	}
	part := p.left[:n:n]
	p.left = p.left[n:]
	return part
}

// Left returns the number of threads in the remaining parts.
func (p *Parts) Left() int { return len(p.left) }

// Add adds threads to the remaining ones.
func (p *Parts) Add(ids []ThreadID) { p.left = append(p.left, ids...) }

// first returns the size of the first part, which is also the largest. Using only a quarter of
// the longest stop leaves time for threads that wait for a processor.
func (p *Parts) first() int { return max(leastPart, int(p.most/(4*stopOfOne))) }

// Took adjusts the size of the next part after a stop of n threads: smaller if the stop took
// more than half of the allowed time, larger again if it took much less.
func (p *Parts) Took(n int, stop time.Duration) {
	switch {
	case stop > p.most/2:
		p.size = max(leastPart, min(p.size, n)/2)
	case stop < p.most/8:
		p.size = min(2*p.size, p.first())
	}
}

// Append adds the threads of part, a snapshot of further threads of the same process. It copies
// their stacks into memory of exactly their size.
func (s *Snapshot) Append(part *Snapshot) {
	if len(s.Threads) == 0 {
		s.Time = part.Time
	}
	s.Stops, s.Stopped, s.Missed = s.Stops+part.Stops, s.Stopped+part.Stopped, s.Missed+part.Missed
	s.Parted = s.Parted || len(s.Threads) > 0
	s.LongestStop = max(s.LongestStop, part.LongestStop)
	var ranges, size int
	for i := range part.Threads {
		ranges += len(part.Threads[i].Stacks)
		for _, st := range part.Threads[i].Stacks {
			size += len(st.Bytes)
		}
	}
	stacks, bytes := make([]Stack, 0, ranges), make([]byte, 0, size)
	probe := StopProbe{Mapped: slices.Clone(part.probe.Mapped), Mark: part.probe.Mark, HasMark: part.probe.HasMark, IDs: slices.Clone(part.probe.IDs)}
	for i := range part.Threads {
		t := part.Threads[i]
		t.buf, t.Probe = nil, probe
		if len(t.Chains) > 0 {
			t.Chains = new(chainRoom).keep(t.Chains)
		}
		from := len(stacks)
		for _, st := range t.Stacks {
			at := len(bytes)
			bytes = append(bytes, st.Bytes...)
			st.Bytes = bytes[at:len(bytes):len(bytes)]
			stacks = append(stacks, st)
		}
		t.Stacks = stacks[from:len(stacks):len(stacks)]
		s.Threads = append(s.Threads, t)
	}
}
