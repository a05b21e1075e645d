package top

import (
	"maps"
	"slices"
	"time"

	"stacksnap/task"
)

// data is what a board has at one moment. It does not change any more.
type data struct {
	Totals
	target    task.Info
	parts     []*part // the oldest first
	functions []function
	threads   []seen
	since     tallies
	own       map[*thread]tallies // of the threads that are counted apart
}

// seen is a thread as the last sample saw it.
type seen struct {
	key   *thread // by which its samples are known; nothing else of it is read
	id    task.ThreadID
	label string // the id as the system's tools write it
	name  string
	state task.State
	stack *stack
	wait  string // empty: it does not wait, or it is not known for what
}

// data copies what a view may show.
func (b *Board) data() *data {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := &data{Totals: b.Totals, target: b.target, functions: b.functions[:len(b.functions):len(b.functions)], since: maps.Clone(b.since), own: map[*thread]tallies{}}
	for _, t := range b.listed {
		d.threads = append(d.threads, seen{t, t.id, b.words.ThreadID(t.id), b.words.Text(t.name), t.state, t.stack, t.waits()})
		if t.since != nil {
			d.own[t] = maps.Clone(t.since)
		}
	}
	if d.parts = slices.Clone(b.ring.parts); len(d.parts) == 0 {
		return d
	}
	last := &d.parts[len(d.parts)-1]
	*last = (*last).clone()
	for s, n := range (*last).counts {
		d.since.add(s.stack, *n)
		if own := d.own[s.thread]; own != nil {
			own.add(s.stack, *n)
		}
	}
	return d
}

// window is the latest stretch of data, made of whole parts.
type window struct {
	parts   []*part
	samples int
	elapsed time.Duration
}

// window returns the parts of the last time, about as long as is wanted.
func (d *data) window(wanted time.Duration) window {
	var w window
	first := len(d.parts)
	for ; first > 0 && w.elapsed+partTime/2 < wanted; first-- {
		p := d.parts[first-1]
		w.samples += p.samples
		w.elapsed += p.elapsed
	}
	w.parts = d.parts[first:]
	return w
}

// counts are the samples of the window by function, of one thread or, for nil, of all.
func (w window) counts(of *thread) tallies {
	sum := tallies{}
	for _, p := range w.parts {
		for s, n := range p.counts {
			if of == nil || s.thread == of {
				sum.add(s.stack, *n)
			}
		}
	}
	return sum
}

// cpu is the CPU time that each thread has used in the window.
func (w window) cpu() map[*thread]time.Duration {
	sum := map[*thread]time.Duration{}
	for _, p := range w.parts {
		for t, used := range p.cpu {
			sum[t] += used
		}
	}
	return sum
}

// heaviest is the stack in which most of the time with a function was spent, and which
// share of all time that is; it is nil where there is none. Of equal ones it is always the
// same.
func (w window) heaviest(fn int32, of *thread, m measure) (*stack, float64) {
	sums := map[*stack]*amount{}
	for _, p := range w.parts {
		for s, n := range p.counts {
			if (of != nil && s.thread != of) || !slices.Contains(s.stack.functions, fn) {
				continue
			}
			if sums[s.stack] == nil {
				sums[s.stack] = new(amount)
			}
			sums[s.stack].add(*n)
		}
	}
	var best *stack
	most := 0.0
	for s, n := range sums {
		share := w.share(*n, m)
		if share > most || share > 0 && share == most && slices.Compare(s.functions, best.functions) < 0 {
			best, most = s, share
		}
	}
	return best, most
}

// measure is what the time in a function is.
type measure int

const (
	onCPU   measure = iota // CPU time
	allTime                // that of waiting, too
)

// share is which part an amount is of all the time of one thread, or of one processor.
func (w window) share(n amount, m measure) float64 {
	if m == allTime {
		return float64(n.samples) / float64(max(1, w.samples))
	}
	return float64(n.cpu) / float64(max(1, w.elapsed))
}

// time is that for which an amount stands, since the start.
func (d *data) time(n amount, m measure) time.Duration {
	if m == allTime {
		return time.Duration(float64(n.samples) / float64(max(1, d.Samples)) * float64(d.Elapsed))
	}
	return n.cpu
}
