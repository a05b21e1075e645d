package top

import (
	"maps"
	"slices"
	"time"

	"stacksnap/format/profile"
)

const (
	partTime  = 500 * time.Millisecond // that a part of the ring is of
	ringTime  = time.Minute
	maxParts  = int(ringTime / partTime)
	maxSize   = 1 << 22 // of all parts, in functions and frames: some 32 MB
	maxSpots  = 1 << 14 // of one part, which is over then
	maxStacks = 1 << 14 // that are known by their place; then they are found anew
)

// ring is the last time, in parts.
type ring struct {
	parts  []*part // the oldest first; all but the last are over
	size   int     // of all but the last
	stacks map[*profile.Node]*stack
}

// part is some time, and what was seen in it.
type part struct {
	start   time.Time
	samples int
	elapsed time.Duration
	counts  map[spot]*amount
	cpu     map[*thread]time.Duration // that was used
	size    int                       // of the stacks
}

// spot is a thread in a stack.
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

// clone copies a part that is not over.
func (p *part) clone() *part {
	c := *p
	c.counts, c.cpu = make(map[spot]*amount, len(p.counts)), maps.Clone(p.cpu)
	for s, n := range p.counts {
		own := *n
		c.counts[s] = &own
	}
	return &c
}

// at returns the part for a sample of that time. One that is over thereby is told.
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

// bound drops the oldest parts where there is too much. The last one stays.
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
