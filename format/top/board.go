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

// Sample is one snapshot of the process, as a board takes it. None of it is kept.
type Sample struct {
	*task.Snapshot
	Looks []profile.Look // at what threads wait for: at any of them, now and then
	// Path is the stack of a thread, the outermost frame first, and why it is not known
	// beyond that. Two that end at the same node are the same.
	Path func(task.ThreadID) ([]*profile.Node, unwind.Reason)
}

// Board keeps what a view shows of the samples so far: all of the last seconds, and of
// the time before how often each function was seen. It is safe for concurrent use.
type Board struct {
	mu        sync.Mutex
	target    task.Info
	interval  time.Duration
	words     *words.Words
	functions []function
	numbers   map[functionKey]int32
	mark      map[int32]bool // of one stack
	threads   map[task.ThreadID]*thread
	listed    []*thread // of the last sample
	ring      ring
	since     tallies // of the parts of time that are over
	Totals
}

// Totals are facts on a whole sampling.
type Totals struct {
	Samples, Missed int
	Last            time.Time     // of the samples
	Elapsed         time.Duration // that samples stand for
	Stopped         time.Duration // the process, in all stops together
	CPU             time.Duration // that its threads have used meanwhile
}

// function is one, or what stands for several that have no name.
type function struct{ name, file string }

// functionKey is what frames of one function share.
type functionKey struct {
	image              *profile.Image
	function, overload string
	area               task.Addr
}

// amount is what was seen of a function, a stack or a thread.
type amount struct {
	samples int
	cpu     time.Duration // that goes with those in which it ran
}

func (a *amount) add(other amount) {
	a.samples += other.samples
	a.cpu += other.cpu
}

// tally is what was seen of a function: as the innermost one, and anywhere on a stack.
type tally struct{ self, total amount }

// tallies are by the function's number.
type tallies map[int32]tally

// add adds what was seen of a stack.
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

// NewBoard returns an empty one, for a process that is sampled at that interval.
func NewBoard(target task.Info, interval time.Duration) *Board {
	return &Board{
		target: target, interval: interval, words: words.NewWords(&profile.Profile{Target: target}),
		numbers: map[functionKey]int32{}, mark: map[int32]bool{}, threads: map[task.ThreadID]*thread{},
		ring: ring{stacks: map[*profile.Node]*stack{}}, since: tallies{},
	}
}

// A sample stands for the time since the one before, but for no longer than that many
// intervals or that time, whichever is more: this program or the system was stopped then.
const (
	longestGaps = 4
	longestGap  = time.Second
)

// Add adds a sample.
func (b *Board) Add(s *Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.ring.at(s.Time, b.settle)
	b.count(s, now)
	b.listed = b.listed[:0]
	for i := range s.Threads {
		b.addThread(now, &s.Threads[i], s.Path)
	}
	b.look(s.Looks)
	b.forget()
	b.ring.bound()
}

// count counts a sample, and the time that it stands for.
func (b *Board) count(s *Sample, now *part) {
	elapsed := b.interval
	if b.Samples > 0 {
		elapsed = min(max(0, s.Time.Sub(b.Last)), max(longestGaps*b.interval, longestGap))
	}
	b.Last = s.Time
	b.Samples++
	b.Missed += s.MissedTicks
	b.Stopped += s.Stopped
	b.Elapsed += elapsed
	now.samples++
	now.elapsed += elapsed
}

// settle takes what is over out of the ring's last part into what is kept for good.
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

// number is that of a function, which stays the same.
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
		f.name = "code of no file" // its addresses tell nobody anything
	}
	b.numbers[key] = int32(len(b.functions))
	b.functions = append(b.functions, f)
	return b.numbers[key]
}
