package top

import (
	"maps"
	"slices"
	"time"

	"stacksnap/task"
)

// data is an immutable copy of a board.
type data struct {
	Totals
	target    task.Info
	interval  time.Duration
	parts     []*part // the oldest first
	functions []function
	lines     []string
	threads   []seen
	since     tallies
	own       map[*thread]tallies // sums of each thread, for those that have them
	deadlocks []string            // sentences on the deadlocks that last
	waiting   string              // sentence on tasks; empty: none
}

// seen is a thread in the last sample.
type seen struct {
	key   *thread // a key only; never dereferenced
	id    task.ThreadID
	main  bool
	label string // the id as the system's tools print it
	name  string
	runs  string // the goroutine that it ran: "goroutine 7"; empty: none, or unknown
	state task.State
	stack *stack
	wait  string // empty: it does not wait, or the reason is unknown
	alike string // wait without its object
}

// data returns a copy of the board.
func (b *Board) data() *data {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := &data{Totals: b.Totals, target: b.target, interval: b.interval, functions: b.functions[:len(b.functions):len(b.functions)], lines: b.lines[:len(b.lines):len(b.lines)], since: maps.Clone(b.since), own: map[*thread]tallies{}}
	main := b.main()
	for _, t := range b.listed {
		wait, alike := t.waits()
		d.threads = append(d.threads, seen{t, t.id, t.id == main, b.words.ThreadID(t.id), b.words.Text(t.name), t.goroutine, t.state, t.stack, wait, alike})
		if t.since != nil {
			d.own[t] = maps.Clone(t.since)
		}
	}
	d.deadlocks, d.waiting = b.lasting(), b.waiting
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

// window is the most recent part of the data.
type window struct {
	parts   []*part
	samples int
	elapsed time.Duration
}

// window returns the most recent parts that add up to about the wanted time.
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

// counts returns the window's sums by function, for one thread or, if of is nil, for all.
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

// cpu returns the CPU time of each thread in the window.
func (w window) cpu() map[*thread]time.Duration {
	sum := map[*thread]time.Duration{}
	for _, p := range w.parts {
		for t, used := range p.cpu {
			sum[t] += used
		}
	}
	return sum
}

// measure selects the kind of time to show.
type measure int

const (
	onCPU   measure = iota // CPU time
	allTime                // all time, waiting included
)

// whole returns the amount that the functions have shares of: that of all stacks in
// the window, of one thread or, if of is nil, of all threads. As in reports, samples
// without any frame do not count.
func (w window) whole(of *thread) (sum amount) {
	for _, p := range w.parts {
		for s, n := range p.counts {
			if (of == nil || s.thread == of) && len(s.stack.functions) > 0 {
				sum.add(*n)
			}
		}
	}
	return sum
}

// share returns an amount as a fraction of the whole.
func share(n, whole amount, m measure) float64 {
	if m == allTime {
		return float64(n.samples) / float64(max(1, whole.samples))
	}
	return float64(n.cpu) / float64(max(1, whole.cpu))
}

// time returns the time that an amount since the start represents.
func (d *data) time(n amount, m measure) time.Duration {
	if m == allTime {
		return time.Duration(float64(n.samples) / float64(max(1, d.Samples)) * float64(d.Elapsed))
	}
	return n.cpu
}

// place returns the position of a frame: its source line, or its file if the line is
// unknown.
func (d *data) place(f *frame) string {
	if f.line != unknownLine {
		return d.lines[f.line]
	}
	return d.functions[f.function].file
}
