package top

import (
	"maps"
	"sync"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Sample is one snapshot of the process. The board keeps no reference to it.
type Sample struct {
	*task.Snapshot
	Looks []profile.Look // observations of some threads' waits
	// Path returns a thread's stack, outermost frame first, and the reason why it ends
	// there. Paths with the same last node are equal.
	Path func(task.ThreadID) ([]*profile.Node, unwind.Reason)
	// Calls returns the calls that a node represents, with those that are inlined in it last;
	// nil: each represents one. It is called once for each different path.
	Calls func(*profile.Node) []*profile.Node
	// Deadlocks are those that the observations until now have found.
	Deadlocks []profile.Deadlock
	// Tasks reads the tasks that a runtime schedules and no thread runs. It is nil if
	// no runtime does.
	Tasks func() []*profile.Task
}

// Board accumulates samples for the view: all of the last minute, and per function sums
// since the start. It is safe for concurrent use.
type Board struct {
	mu        sync.Mutex
	target    task.Info
	interval  time.Duration
	words     *words.Words
	functions []function
	numbers   map[functionKey]int32
	lines     []string         // source files and lines of frames
	lineIndex map[string]int32 // of lines
	mark      map[int32]bool   // scratch: the functions of one stack
	threads   map[task.ThreadID]*thread
	listed    []*thread // threads of the last sample
	ring      ring
	since     tallies // sums since the start, without the ring's last part
	deadlocks []profile.Deadlock
	waiting   string    // sentence on the place where most tasks wait; empty: none
	nextTasks time.Time // when tasks are read again
	Totals
}

// Totals are facts on the whole sampling.
type Totals struct {
	Samples, Missed int           // Missed excludes samples omitted to spare the target
	Every           int           // one of so many due samples is taken; 0 or 1: each
	Last            time.Time     // time of the last sample
	Elapsed         time.Duration // time represented by samples
	Stopped         time.Duration // time for which the process was stopped, in all
	CPU             time.Duration // CPU time used by its threads
}

// function is a function's name and file, or a label for code without a name.
type function struct{ name, file string }

// functionKey identifies a function.
type functionKey struct {
	image              *profile.Image
	function, overload string
	area               task.Addr
}

// amount is the number of samples and the CPU time of a function, a stack or a thread.
type amount struct {
	samples int
	cpu     time.Duration // CPU time of the samples in which the thread ran
}

func (a *amount) add(other amount) {
	a.samples += other.samples
	a.cpu += other.cpu
}

// tally is the amount in a function itself, and that with its callees.
type tally struct{ self, total amount }

// tallies maps function numbers to tallies.
type tallies map[int32]tally

// add adds an amount to the functions of a stack.
func (t tallies) add(s *stack, n amount) {
	for i, fn := range s.functions {
		of := t[fn]
		of.total.add(n)
		if i == 0 {
			of.self.add(n)
		}
		t[fn] = of
	}
}

// NewBoard returns an empty board for a process that is sampled at that interval.
func NewBoard(target task.Info, interval time.Duration) *Board {
	return &Board{
		target: target, interval: interval, words: words.NewWords(&profile.Profile{Target: target}),
		numbers: map[functionKey]int32{}, lineIndex: map[string]int32{}, mark: map[int32]bool{}, threads: map[task.ThreadID]*thread{},
		ring: ring{stacks: map[*profile.Node]*stack{}}, since: tallies{},
	}
}

// A sample represents the time since the previous one, but no more than longestGaps
// intervals or longestGap, whichever is longer: a longer gap means that this program or the
// system was suspended.
const (
	longestGaps = 4
	longestGap  = time.Second
)

// Add adds a sample.
func (b *Board) Add(s *Sample) {
	b.readTasks(s)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.ring.at(s.Time, b.settle)
	b.count(s, now)
	b.listed = b.listed[:0]
	for i := range s.Threads {
		b.addThread(now, &s.Threads[i], s)
	}
	b.look(s.Looks)
	b.deadlocks = s.Deadlocks
	b.forget()
	b.ring.bound()
}

// count counts a sample and the time that it represents.
func (b *Board) count(s *Sample, now *part) {
	elapsed := b.interval
	if b.Samples > 0 {
		elapsed = min(max(0, s.Time.Sub(b.Last)), max(longestGaps*b.interval*time.Duration(max(1, b.Every)), longestGap))
	}
	b.Last, b.Every = s.Time, s.Every
	b.Samples++
	b.Missed += s.MissedTicks - s.LeftOut
	b.Stopped += s.Stopped
	b.Elapsed += elapsed
	now.samples++
	now.elapsed += elapsed
}

// settle adds a completed part of the ring to the sums since the start.
func (b *Board) settle(p *part) {
	for spot, n := range p.counts {
		b.since.add(spot.stack, *n)
		if spot.thread.since != nil {
			spot.thread.since.add(spot.stack, *n)
		}
	}
}

// forget drops threads that have ended.
func (b *Board) forget() {
	if len(b.threads) == len(b.listed) {
		return
	}
	maps.DeleteFunc(b.threads, func(_ task.ThreadID, t *thread) bool { return t.seen < b.Samples })
}

// number returns the number of a node's function, which never changes.
func (b *Board) number(n *profile.Node) int32 {
	key := functionKey{n.Image, n.Function, n.Overload, 0}
	if n.Function == "" && n.Image != nil {
		key.area = n.Area()
	}
	i, ok := b.numbers[key]
	if ok {
		return i
	}
	f := function{b.words.Function(n), b.words.File(n)}
	if key == (functionKey{}) {
		f.name = "code of no file" // addresses there mean nothing to the user
	}
	b.numbers[key] = int32(len(b.functions))
	b.functions = append(b.functions, f)
	return b.numbers[key]
}

// unknownLine is the number of the line of a frame that has none.
const unknownLine = -1

// line returns the number of a node's source line.
func (b *Board) line(n *profile.Node) int32 {
	text := b.words.Line(n)
	if text == "" {
		return unknownLine
	}
	i, ok := b.lineIndex[text]
	if !ok {
		i = int32(len(b.lines))
		b.lineIndex[text] = i
		b.lines = append(b.lines, text)
	}
	return i
}
