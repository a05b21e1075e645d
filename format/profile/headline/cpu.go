package headline

import (
	"iter"
	"slices"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/task"
)

// CPUTime is the CPU time of a process while it was sampled, and its hotspot.
type CPUTime struct {
	OnCPU   time.Duration // CPU time of all threads together
	Queue   time.Duration // time in which runnable threads waited for a CPU
	Hotspot Hotspot
	Where   profile.Location // the function with most time: of Function, Subtree and Spread
	Own     *profile.Node    // the frame of own code that mostly called Where, if that is not own code; may be nil
	Share   float64          // the hotspot's share of OnCPU, from 0 to 1
}

// Hotspot is what most of the CPU time was used by.
type Hotspot uint8

// The kinds of hotspots.
const (
	Spread    Hotspot = iota // nothing in particular
	Function                 // a function itself
	Subtree                  // a function and its callees
	Collector                // Go's garbage collection
	Generated                // code that is in no file, such as a JIT compiler's
)

// The fractions of the whole from which on a headline mentions something.
const (
	busyShare  = 0.5 // share of one processor
	readyShare = 0.1 // of a thread's time, in which it was runnable
	mostOf     = 0.5 // share of the CPU time or of the samples, for one hotspot
	underMost  = 0.8 // share of the CPU time, for a function and its callees
)

// computing returns the hotspot of a process that used at least busyShare of a CPU.
func computing(p *profile.Profile) Headline {
	if !p.Sampled() || p.Duration() <= 0 {
		return Headline{}
	}
	b := used(p)
	if float64(b.OnCPU+b.Queue) < busyShare*float64(p.Duration()) {
		return Headline{}
	}
	c := count(p)
	if c.whole == 0 {
		return Headline{}
	}
	if k := c.judge(&b); b.Where.Function != "" && !owncode.Is(&b.Where) {
		b.Own = ownCaller(p, k)
	}
	return Headline{Kind: Computing, CPU: b}
}

// starved returns a headline if runnable threads mostly waited for a CPU.
func starved(p *profile.Profile) Headline {
	if !p.Sampled() || p.Duration() <= 0 {
		return Headline{}
	}
	b := used(p)
	if b.Queue < b.OnCPU || float64(b.Queue) < busyShare*float64(p.Duration()) {
		return Headline{}
	}
	return Headline{Kind: Starved, CPU: b}
}

// stuck returns a headline if the main thread, or the thread whose end it waits for, was
// mostly in an uninterruptible sleep, as for a disk or a page. It has the function and the
// system call that were most frequent. A main thread with any other known wait does not
// count. In one snapshot, what it waits for must be unknown: a known wait has another headline.
func stuck(p *profile.Profile) Headline {
	t := awaitedThread(p)
	if t == nil || float64(t.States[task.Uninterruptible]) < mostOf*float64(max(t.Samples, 1)) || !p.Sampled() && t.Wait != nil {
		return Headline{}
	}
	b := CPUTime{Share: float64(t.States[task.Uninterruptible]) / float64(t.Samples)}
	c := newCounted()
	for path, weight := range stacks(t, func(n *profile.Node) float64 { return float64(n.Self) }) {
		c.add(path, weight)
	}
	if k, most := heaviest(c.self); most >= mostOf*float64(t.Samples) {
		b.Hotspot, b.Where = Function, c.where[k]
	}
	a := Headline{Kind: Stuck, Main: t.Main, Thread: t, CPU: b, Own: owncode.Innermost(t.Heaviest())}
	if usual := t.UsualWaits(); len(usual) > 0 {
		a.Wait = &usual[0].Wait
	}
	return a
}

// awaitedThread returns the main thread, or the thread whose end it waits for; nil if that
// is unknown, or if the main thread waits for something else.
func awaitedThread(p *profile.Profile) *profile.Thread {
	t := p.MainThread()
	if t == nil {
		return nil
	}
	switch w, _ := wait(p, t); {
	case w == nil:
		return t
	case w.Lock == profile.ThreadEnd:
		if i := slices.IndexFunc(p.Threads, func(t *profile.Thread) bool { return t.ID == w.Owner }); i >= 0 {
			return p.Threads[i]
		}
	}
	return nil
}

// used adds up the CPU time of all threads.
func used(p *profile.Profile) (b CPUTime) {
	for _, t := range p.Threads {
		if t.Spent == (profile.Spent{}) {
			b.OnCPU += t.Used
			continue
		}
		b.OnCPU += t.Spent.OnCPU
		if ready := t.Spent.OnCPU + t.Spent.Queued; float64(ready) >= readyShare*float64(ready+t.Spent.Blocked) {
			b.Queue += t.Spent.Queued
		}
	}
	return b
}

// counted is CPU time by function.
type counted struct {
	whole      float64
	self       map[key]float64          // as the innermost frame
	subtree    map[key]float64          // anywhere on the stack
	where      map[key]profile.Location // location in the heaviest stack
	most       map[key]float64          // time of that stack
	depth      map[key]int              // largest distance from the outermost frame
	collecting float64
	generated  float64
}

// key identifies a function.
type key struct {
	image    *profile.Image
	function string
	overload string
}

func keyOf(n *profile.Node) key { return key{n.Image, n.Function, n.Overload} }

// count adds up the CPU time by function.
func count(p *profile.Profile) *counted {
	c := newCounted()
	for path, weight := range onCPU(p) {
		c.add(path, weight)
	}
	return c
}

// onCPU yields the stacks that have CPU time, the outermost frame first, and that time. Where
// the system does not record CPU time, it uses the samples of threads that were runnable in at
// least 9/10 of theirs. A stack is valid until the next one.
func onCPU(p *profile.Profile) iter.Seq2[[]*profile.Node, float64] {
	return func(yield func([]*profile.Node, float64) bool) {
		for _, t := range p.Threads {
			timed := t.Spent != (profile.Spent{})
			if !timed && t.States[task.Running]*10 < t.Samples*9 {
				continue
			}
			for path, weight := range stacks(t, func(n *profile.Node) float64 {
				if timed {
					return float64(n.Spent.OnCPU)
				}
				return float64(n.Self*t.Weight()) * float64(p.Interval)
			}) {
				if !yield(path, weight) {
					return
				}
			}
		}
	}
}

// stacks yields the stacks of a thread and the weights of their innermost frames, if above 0.
func stacks(t *profile.Thread, weigh func(*profile.Node) float64) iter.Seq2[[]*profile.Node, float64] {
	return func(yield func([]*profile.Node, float64) bool) {
		var path []*profile.Node
		for depth, n := range t.Nodes() {
			path = append(path[:depth], n)
			if weight := weigh(n); weight > 0 && !yield(path, weight) {
				return
			}
		}
	}
}

// ownCaller returns the frame of own code that called a function for most of that function's
// time; nil if no one function did.
func ownCaller(p *profile.Profile, called key) *profile.Node {
	c := newCounted()
	nodes := map[key]*profile.Node{}
	for path, weight := range onCPU(p) {
		at := slices.IndexFunc(path, func(n *profile.Node) bool { return keyOf(n) == called })
		if at < 0 {
			continue
		}
		c.whole += weight
		own := owncode.Innermost(path[:at])
		if own == nil {
			continue
		}
		k := keyOf(own)
		if c.self[k] += weight; weight > c.most[k] {
			c.most[k], nodes[k] = weight, own
		}
	}
	if k, most := heaviest(c.self); most >= mostOf*c.whole {
		return nodes[k]
	}
	return nil
}

func newCounted() *counted {
	return &counted{self: map[key]float64{}, subtree: map[key]float64{}, where: map[key]profile.Location{}, most: map[key]float64{}, depth: map[key]int{}}
}

// add adds a weight to the innermost frame of a stack, and once to each function on it. The
// outermost frame comes first.
func (c *counted) add(path []*profile.Node, weight float64) {
	inner := path[len(path)-1]
	c.whole += weight
	if inner.Image == nil {
		c.generated += weight
	}
	seen := map[key]bool{}
	collects := false
	for depth, n := range path {
		k := keyOf(n)
		if n.Function == "" || seen[k] {
			continue
		}
		seen[k] = true
		c.subtree[k] += weight
		if weight >= c.most[k] {
			c.most[k], c.where[k] = weight, n.Location
		}
		c.depth[k] = max(c.depth[k], depth)
		collects = collects || isCollector(n.Function)
	}
	if collects {
		c.collecting += weight
	}
	if inner.Function != "" {
		c.self[keyOf(inner)] += weight
	}
}

// isCollector reports whether a function of Go's runtime does nothing but garbage
// collection: workers, assists of allocations, and sweeping (runtime/mgc.go, mgcmark.go,
// mgcsweep.go).
func isCollector(function string) bool {
	name, ok := strings.CutPrefix(function, "runtime.")
	if !ok {
		return false
	}
	for _, prefix := range []string{"gcBgMarkWorker", "gcAssistAlloc", "gcDrain", "bgsweep", "gcStart", "gcMarkTermination"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// judge sets the hotspot, and returns the function that it is in.
func (c *counted) judge(b *CPUTime) key {
	self, most := heaviest(c.self)
	switch {
	case c.collecting >= mostOf*c.whole:
		b.Hotspot, b.Share = Collector, c.collecting/c.whole
	case most >= mostOf*c.whole:
		b.Hotspot, b.Where, b.Share = Function, c.where[self], most/c.whole
	case c.generated >= mostOf*c.whole:
		b.Hotspot, b.Share = Generated, c.generated/c.whole
	default:
		if k, n := c.narrowest(); n > 0 {
			b.Hotspot, b.Where, b.Share = Subtree, c.where[k], n/c.whole
			return k
		}
		b.Hotspot, b.Where, b.Share = Spread, c.where[self], most/c.whole
	}
	return self
}

// heaviest returns the function with the most time; for equal times, the first by name.
func heaviest(all map[key]float64) (best key, most float64) {
	for k, n := range all {
		if n > most || n == most && k.function < best.function {
			best, most = k, n
		}
	}
	return best, most
}

// narrowest returns the function with the least time of those that have underMost of the
// whole with their callees; for equal times, the innermost. It ignores functions in which
// every program or thread begins.
func (c *counted) narrowest() (best key, least float64) {
	for k, n := range c.subtree {
		switch {
		case n < underMost*c.whole || owncode.IsBeginning(k.function):
		case least == 0 || n < least, n == least && c.depth[k] > c.depth[best],
			n == least && c.depth[k] == c.depth[best] && k.function < best.function:
			best, least = k, n
		}
	}
	return best, least
}
