package top

import (
	"maps"
	"slices"
	"time"

	"stacksnap/format/profile"
)

const (
	partTime  = 500 * time.Millisecond // duration of a part
	ringTime  = time.Minute
	maxParts  = int(ringTime / partTime)
	maxSize   = 1 << 22 // functions and frames in all parts: some 32 MB
	maxSpots  = 1 << 14 // most spots in one part; a new part begins then
	maxStacks = 1 << 14 // most entries of ring.stacks, which is then cleared
)

// ring has the samples of the last minute, in parts.
type ring struct {
	parts  []*part // oldest first; only the last one grows
	size   int     // size of all parts but the last
	stacks map[*profile.Node]*stack
}

// part is what was sampled in some period.
type part struct {
	start   time.Time
	samples int
	elapsed time.Duration
	counts  map[spot]*amount
	cpu     map[*thread]time.Duration // CPU time used
	size    int                       // size of the stacks, in functions and frames
}

// spot is a thread and its stack.
type spot struct {
	thread *thread
	stack  *stack
}

func newPart(start time.Time) *part {
	return &part{start: start, counts: map[spot]*amount{}, cpu: map[*thread]time.Duration{}}
}

func (p *part) count(s spot, seen amount) {
	n := p.counts[s]
	if n == nil {
		n = new(amount)
		p.counts[s] = n
		p.size += s.stack.size()
	}
	n.add(seen)
}

// clone returns a copy of the part that grows.
func (p *part) clone() *part {
	c := *p
	c.counts, c.cpu = make(map[spot]*amount, len(p.counts)), maps.Clone(p.cpu)
	for s, n := range p.counts {
		own := *n
		c.counts[s] = &own
	}
	return &c
}

// at returns the part for a sample of that time. If it begins a new part, it calls over
// with the completed one.
func (r *ring) at(now time.Time, over func(*part)) *part {
	if n := len(r.parts); n > 0 {
		last := r.parts[n-1]
		if age := now.Sub(last.start); age >= 0 && age < partTime && len(last.counts) < maxSpots {
			return last
		}
		over(last)
		r.size += last.size
		if len(r.stacks) > maxStacks {
			clear(r.stacks)
		}
	}
	p := newPart(now)
	r.parts = append(r.parts, p)
	return p
}

// bound drops the oldest parts beyond the limits, but never the last.
func (r *ring) bound() {
	drop := 0
	for len(r.parts)-drop > maxParts || r.size > maxSize && len(r.parts)-drop > 1 {
		r.size -= r.parts[drop].size
		drop++
	}
	if drop > 0 {
		r.parts = slices.Delete(r.parts, 0, drop)
	}
}
