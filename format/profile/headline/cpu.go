package headline

import (
	"slices"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// CPUTime is the CPU time of a process while it was sampled, and what most of it went to.
type CPUTime struct {
	OnCPU   time.Duration // by all threads together
	Queue   time.Duration // in which runnable threads waited for a CPU
	Hotspot Hotspot
	Where   profile.Location // with Function, and with Mostly
	Share   float64          // of OnCPU, from 0 to 1
}

// Hotspot says what most of the CPU time went to.
type Hotspot uint8

// Hotspot time goes to.
const (
	Spread    Hotspot = iota // no one thing
	Function                 // it was the innermost
	Subtree                  // a function and what it called
	Collector                // Go's garbage collection
	Generated                // code of no file, as a JIT compiler's
)

// The parts of a whole from which on something is worth saying.
const (
	busyShare = 0.5 // of one processor
	mostOf    = 0.5 // of the time on processors, in one thing
	underMost = 0.8 // in a function and what it calls
)

// running counts the runnable threads of a single snapshot. Thread is set where there is one only.
func running(p *profile.Profile) Headline {
	if p.Sampled() {
		return Headline{}
	}
	a := Headline{Kind: Running}
	var first *profile.Thread
	for _, t := range p.Threads {
		if t.State != task.Running {
			continue
		}
		a.Threads += t.Weight()
		a.Main = a.Main || t.Main
		if first == nil || t.Turn == task.OnCPU && first.Turn != task.OnCPU {
			first = t
		}
	}
	if a.Threads == 0 {
		return Headline{}
	}
	if a.Threads == 1 {
		a.Thread = first
	}
	return a
}

// computing returns the hotspot of a process that used at least busyShare of a CPU.
func computing(p *profile.Profile) Headline {
	if !p.Sampled() || p.Duration() <= 0 {
		return Headline{}
	}
	b := used(p)
	if float64(b.OnCPU) < busyShare*float64(p.Duration()) {
		return Headline{}
	}
	c := count(p)
	if c.whole == 0 {
		return Headline{}
	}
	c.judge(&b)
	return Headline{Kind: Computing, CPU: b}
}

// starved reports whether runnable threads mostly waited for a CPU.
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

// stuck reports whether the main thread, or the one whose end it waits for, was mostly in an
// uninterruptible sleep, in which function and in which call most often: at a disk or a page,
// and of the main thread for nothing that would be known as its wait.
func stuck(p *profile.Profile) Headline {
	t := awaitedThread(p)
	if !p.Sampled() || t == nil || float64(t.States[task.Uninterruptible]) < mostOf*float64(max(t.Samples, 1)) {
		return Headline{}
	}
	b := CPUTime{Share: float64(t.States[task.Uninterruptible]) / float64(t.Samples)}
	c := newCounted()
	c.addThread(t, func(n *profile.Node) float64 { return float64(n.Self) })
	if k, most := heaviest(c.self); most >= mostOf*float64(t.Samples) {
		b.Hotspot, b.Where = Function, c.where[k]
	}
	a := Headline{Kind: Stuck, Main: t.Main, Thread: t, CPU: b}
	if usual := t.UsualWaits(); len(usual) > 0 {
		a.Wait = &usual[0].Wait
	}
	return a
}

// awaitedThread is the main thread, or the one whose end it waits for; nil where it is not known,
// or waits for something else.
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
		b.Queue += t.Spent.Queued
	}
	return b
}

// counted is the CPU time by function.
type counted struct {
	whole      float64
	self       map[key]float64 // while it was the innermost frame
	subtree    map[key]float64 // while it was on the stack
	where      map[key]profile.Location
	depth      map[key]int // at most, from the outermost frame
	collecting float64
	generated  float64
}

// key identifies a function.
type key struct {
	image    *profile.Image
	function string
	overload string
}

// count adds up the innermost functions, and all that were on the stacks. Where
// the system does not tell when a thread was on a processor, the samples of those
// count that hardly ever waited.
func count(p *profile.Profile) *counted {
	c := newCounted()
	for _, t := range p.Threads {
		timed := t.Spent != (profile.Spent{})
		if !timed && t.States[task.Running]*10 < t.Samples*9 {
			continue
		}
		c.addThread(t, func(n *profile.Node) float64 {
			if timed {
				return float64(n.Spent.OnCPU)
			}
			return float64(n.Self*t.Weight()) * float64(p.Interval)
		})
	}
	return c
}

func newCounted() *counted {
	return &counted{self: map[key]float64{}, subtree: map[key]float64{}, where: map[key]profile.Location{}, depth: map[key]int{}}
}

// addThread adds what a frame weighs as the innermost one, for each of a thread.
func (c *counted) addThread(t *profile.Thread, weigh func(*profile.Node) float64) {
	var path []*profile.Node
	for depth, n := range t.Nodes() {
		path = append(path[:depth], n)
		if weight := weigh(n); weight > 0 {
			c.add(path, weight)
		}
	}
}

// add counts a time for the innermost of the frames of a stack, outermost first,
// and once for each function on it.
func (c *counted) add(path []*profile.Node, weight float64) {
	inner := path[len(path)-1]
	c.whole += weight
	if inner.Image == nil {
		c.generated += weight
	}
	seen := map[key]bool{}
	collects := false
	for depth, n := range path {
		k := key{n.Image, n.Function, n.Overload}
		if n.Function == "" || seen[k] {
			continue
		}
		seen[k] = true
		c.subtree[k] += weight
		c.where[k] = n.Location
		c.depth[k] = max(c.depth[k], depth)
		collects = collects || isCollector(n.Function)
	}
	if collects {
		c.collecting += weight
	}
	if inner.Function != "" {
		c.self[key{inner.Image, inner.Function, inner.Overload}] += weight
	}
}

// isCollector reports whether a function of Go's runtime is one under which nothing
// but its garbage collection is done: the workers, what allocation is charged
// with, and sweeping (runtime/mgc.go, mgcmark.go, mgcsweep.go).
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

// judge sets the hotspot.
func (c *counted) judge(b *CPUTime) {
	self, most := heaviest(c.self)
	switch {
	case c.collecting >= mostOf*c.whole:
		b.Hotspot, b.Share = Collector, c.collecting/c.whole
	case most >= mostOf*c.whole:
		b.Hotspot, b.Where, b.Share = Function, c.where[self], most/c.whole
	case c.generated >= mostOf*c.whole:
		b.Hotspot, b.Share = Generated, c.generated/c.whole
	default:
		b.Hotspot, b.Where, b.Share = Spread, c.where[self], most/c.whole
		if k, n := c.narrowest(); n > 0 {
			b.Hotspot, b.Where, b.Share = Subtree, c.where[k], n/c.whole
		}
	}
}

// heaviest returns the function with the most time; of equal ones the first by name.
func heaviest(all map[key]float64) (best key, most float64) {
	for k, n := range all {
		if n > most || n == most && k.function < best.function {
			best, most = k, n
		}
	}
	return best, most
}

// narrowest returns that function with most of the time under it which has the
// least, and of several the innermost. Those that every program or thread begins
// with say nothing.
func (c *counted) narrowest() (best key, least float64) {
	for k, n := range c.subtree {
		switch {
		case n < underMost*c.whole || isBeginning(k.function):
		case least == 0 || n < least, n == least && c.depth[k] > c.depth[best],
			n == least && c.depth[k] == c.depth[best] && k.function < best.function:
			best, least = k, n
		}
	}
	return best, least
}

// beginnings are the functions in which programs and threads begin.
var beginnings = map[string]bool{
	"main": true, "_start": true, "start": true, "__libc_start_main": true, "__libc_start_call_main": true,
	"start_thread": true, "clone": true, "clone3": true, "__clone": true, "__clone3": true, "thread_start": true,
	"_pthread_start": true, "_pthread_body": true, "main.main": true, "runtime.main": true, "runtime.goexit": true,
	"_pthread_wqthread": true, "start_wqthread": true, "_dispatch_worker_thread2": true, "_dispatch_worker_thread3": true,
}

func isBeginning(function string) bool {
	name, _, _ := strings.Cut(function, "@") // a symbol's version
	return beginnings[name]
}
