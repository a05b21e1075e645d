package task

import (
	"errors"
	"slices"
	"time"
)

// The bounds of a copy in one stop.
const (
	// FirstStackLimit is how many bytes of each stack are copied by default.
	FirstStackLimit = 256 << 10
	// MaxStackLimit is the most that is ever copied of one stack.
	MaxStackLimit = 64 << 20
	// MaxStacks is how many ranges of one thread's stack are kept.
	MaxStacks = 4
	// RedZone is how far below the stack pointer a leaf function may keep data
	// (System V AMD64 and Apple arm64 ABIs: 128 bytes).
	RedZone = 128

	maxArena     = 512 << 20 // bytes reserved for all stacks together
	partArena    = 16 << 20  // the same for a part of the threads
	spareThreads = 64        // threads that may appear between listing and stop
	manyThreads  = 4096      // with more threads a sampling first copies only a short piece of each stack
	shortPieces  = 16 << 20  // bytes of all such pieces together
	leastPiece   = 768
	usualStack   = 64 << 10  // bytes reserved for each stack while Limit is FirstStackLimit
	touchedStack = 8 << 10   // bytes of each stack whose pages are touched before the stop
	spareStack   = 16 << 10  // bytes reserved for each of the spare threads
	touchedMore  = 128 << 10 // bytes touched beyond these, for deep stacks and threads that appear
	pageSize     = 4 << 10   // the smallest page of any host
)

// Snapshot is every thread of a process at one instant. It can be reused with its buffers from
// one Take to the next; the zero value is ready to use.
type Snapshot struct {
	Time    time.Time     // when the target was ordered to stop
	Stopped time.Duration // from the order to stop until it was running again
	Threads []Thread
	Missed  int // threads that appeared after the room for late ones was used up
	// MissedTicks counts the snapshots that were due since the previous one but could not be
	// taken in time; see [Sample].
	MissedTicks int
	// LeftOut is how many of MissedTicks were skipped on purpose, to stop the target less. From
	// now on one of every Every due snapshots is taken: see [Options].StopShare.
	LeftOut, Every int
	// Stops is how often something of the target was stopped: once by [Take]. If there were
	// several, Stopped is the time in which any of it was stopped, LongestStop the longest stop.
	Stops       int
	LongestStop time.Duration
	// Parted means that the threads were stopped in several parts, see [Divide].
	Parted bool
	// Limit is the most bytes copied of each range of stack; 0 is FirstStackLimit.
	Limit int
	// Want lists, for threads whose stack continues elsewhere, the addresses at which to copy
	// further ranges: up to MaxStacks-1 for each thread.
	Want map[ThreadID][]Addr
	// Part has [Take] stop only these threads, if the process is [Capabilities].Partial; nil:
	// all. They must have been listed by Threads.
	Part []ThreadID
	// Long lists the threads whose stacks are copied up to Limit although there are so many
	// threads that others get only a short piece at first: see [Snapshot.Lengthen].
	Long map[ThreadID]bool
	// Skip has [Take] not stop threads whose calls a stop would end: see [StopOptions].Skip. The
	// threads in Insist are stopped all the same.
	Skip   bool
	Insist map[ThreadID]bool
	// Unhurried means that nothing is stopped, see [Limits].NoStop, so that no time would be
	// saved by touching the memory for the stacks in advance.
	Unhurried bool
	// Watch is what [Take] probes while the process is stopped. It is not bounded by MaxWatch
	// and MaxIDs.
	Watch Watch

	stays   func(ThreadID) bool // see [Capabilities]
	running bool                // threads are not stopped
	prober  prober
	probe   StopProbe
	arena   []byte // all stacks of one Take, one after the other
	used    int
	chains  chainRoom        // the chains of all threads of one Take
	short   int              // bytes of a short piece; 0: there is none
	index   map[ThreadID]int // index in Threads
}

// Take stops the process once, copies every thread's registers and used stack into s, and lets
// the process run again. After an error, s has what was captured before it.
func Take(p Process, s *Snapshot) error {
	if err := s.Prepare(p); err != nil {
		return err
	}
	return s.TakePrepared(p)
}

// Prepare does the part of [Take] that comes before the stop. It stops nothing.
func (s *Snapshot) Prepare(p Process) error {
	ids := s.Part
	if ids == nil {
		var err error
		if ids, err = p.Threads(); err != nil {
			return err
		}
	}
	s.PrepareFor(p, ids)
	return nil
}

// TakePrepared does the rest of [Take], right after Prepare or PrepareFor.
func (s *Snapshot) TakePrepared(p Process) error {
	s.Time = time.Now()
	resume, err := p.Suspend(StopOptions{Part: s.Part, Skip: s.Skip, Insist: s.Insist, OnCPU: true})
	if err != nil {
		s.Threads = s.Threads[:0]
		return err
	}
	captureErr := s.capture(p)
	resumeErr := resume()
	s.Stopped, s.Stops, s.LongestStop = 0, 0, 0
	if stop := lastStop(p.Capabilities().Stopper, s.Time); !stop.Ordered.IsZero() {
		s.Time, s.Stopped = stop.Ordered, stop.Released.Sub(stop.Ordered)
		s.Stops, s.LongestStop = 1, s.Stopped
	}
	if !p.Info().Live { // nothing was stopped, and when it last ran is not known
		s.Time, s.Stopped, s.Stops, s.LongestStop = time.Time{}, 0, 0, 0
	}
	s.finish(p)
	return errors.Join(captureErr, resumeErr)
}

// PrepareFor is Prepare for threads that were just listed: it makes room for everything that
// capture stores, and reads the facts that need no stop.
func (s *Snapshot) PrepareFor(p Process, ids []ThreadID) {
	spare := spareThreads
	if s.Part != nil {
		spare = 0 // no other threads are captured
	}
	s.reserve(len(ids), spare)
	s.prober.memory, s.prober.watch = p.Memory(), s.Watch
	able := p.Capabilities()
	s.prober.maps, s.stays, s.running = able.Maps, able.Stays, s.Unhurried
	s.probe.reserve(&s.Watch)
	s.chains.reserve(maxChains * len(s.Watch.Chains))
	for _, id := range ids {
		t := s.add(id)
		if err := p.Describe(id, t); err != nil {
			s.Threads = s.Threads[:len(s.Threads)-1]
			continue
		}
		s.index[id] = len(s.Threads) - 1
	}
}

// reserve makes room for threads and their stacks, and for spare ones. It touches as much of the
// stacks' memory as is usually needed, so that no page fault happens during the stop.
func (s *Snapshot) reserve(threads, spare int) {
	n := max(threads+spare, 1)
	s.Limit = min(max(s.Limit, FirstStackLimit), MaxStackLimit)
	s.Threads = slices.Grow(s.Threads[:0], n)
	for i := range s.Threads[:n] {
		if t := &s.Threads[:n][i]; cap(t.Stacks) == 0 {
			t.Stacks = make([]Stack, 0, MaxStacks)
		}
	}
	if s.index == nil {
		s.index = make(map[ThreadID]int, n)
	}
	clear(s.index)
	s.used, s.Missed = 0, 0
	if s.Unhurried {
		spare = 0
	}
	s.reserveArena(max(threads, 1), spare)
}

// reserveArena makes room for n stacks and the further ranges that are wanted. The spare ones, which
// seldom come, have little room each.
func (s *Snapshot) reserveArena(n, spare int) {
	each := s.Limit
	if each == FirstStackLimit && len(s.Want) == 0 {
		each = usualStack // few need more; a stack that finds no room is cut, and copied again
	}
	most := maxArena
	if s.Part != nil {
		each = min(s.Limit, max(partArena/n, usualStack/2))
		most = max(2*partArena, each)
	}
	for _, more := range s.Want {
		n += len(more)
	}
	want := min(n*each+spare*min(each, spareStack), most)
	if len(s.arena) >= want {
		return
	}
	s.arena = make([]byte, want)
	if s.Unhurried {
		return
	}
	for i := 0; i < min(n*touchedStack+touchedMore, want); i += pageSize {
		s.arena[i] = 1
	}
}

// add appends a thread to Threads, reusing the buffers of its slot.
func (s *Snapshot) add(id ThreadID) *Thread {
	i := len(s.Threads)
	s.Threads = s.Threads[:i+1]
	t := &s.Threads[i]
	*t = Thread{ID: id, Stacks: t.Stacks[:0]}
	return t
}

// capture runs while the target is stopped: it allocates nothing.
func (s *Snapshot) capture(p Process) error {
	ids, err := p.Threads()
	if err != nil {
		return err
	}
	s.prober.probe(&s.probe)
	for _, id := range ids {
		t := s.slot(id)
		if t == nil {
			s.Missed++
			continue
		}
		s.captureThread(p, t)
		if t.Err != nil && isExited(t.Err) {
			return t.Err
		}
	}
	return nil
}

// slot returns the slot of a thread that was listed before the stop, or a spare one. It returns
// nil when there is no room left.
func (s *Snapshot) slot(id ThreadID) *Thread {
	if i, ok := s.index[id]; ok {
		return &s.Threads[i]
	}
	if len(s.Threads) == cap(s.Threads) {
		return nil
	}
	return s.add(id)
}

// captureThread copies one thread's registers and stack, the further ranges that Want lists for it,
// and its chains.
func (s *Snapshot) captureThread(p Process, t *Thread) {
	t.captured = true
	s.captureStack(p, t)
	if chains := s.Watch.Chains[t.ID]; chains != nil {
		s.captureChains(p, t, chains)
	}
}

func (s *Snapshot) captureStack(p Process, t *Thread) {
	t.buf = s.room(s.limitOf(t.ID))
	t.Err = p.Capture(t.ID, t)
	for i := range t.Stacks { // after an error there may be part of a stack
		s.used += len(t.Stacks[i].Bytes)
	}
	if t.Err != nil || t.Age > 0 { // the rest would be of another moment
		return
	}
	for _, a := range s.Want[t.ID] {
		s.captureMore(p.Memory(), t, a)
	}
}

// captureMore copies what is readable from a on, up to Limit, as another range of t's stack.
func (s *Snapshot) captureMore(m Memory, t *Thread, a Addr) {
	if len(t.Stacks) == MaxStacks || t.stackAt(a) != nil {
		return
	}
	room := s.room(s.Limit)
	n, _ := m.ReadMemory(room[:cap(room)], a)
	if n == 0 {
		return
	}
	t.Stacks = append(t.Stacks, Stack{Base: a, Bytes: room[:n]})
	s.used += n
}

// limitOf returns how many bytes of the stack that a thread is on may be copied.
func (s *Snapshot) limitOf(id ThreadID) int {
	if s.short > 0 && !s.Long[id] {
		return min(s.short, s.Limit)
	}
	return s.Limit
}

// Lengthen makes the next copy of a thread's stack as long as Limit. It reports false if this
// one already was.
func (s *Snapshot) Lengthen(id ThreadID) bool {
	if s.limitOf(id) == s.Limit {
		return false
	}
	if s.Long == nil {
		s.Long = map[ThreadID]bool{}
	}
	s.Long[id] = true
	return true
}

// shortPiece returns how many bytes of each of n stacks are copied at first; 0: up to the limit.
func shortPiece(n int) int {
	if n <= manyThreads {
		return 0
	}
	return max(leastPiece, shortPieces/n)
}

// room returns the free part of the arena, at most limit bytes of it.
func (s *Snapshot) room(limit int) []byte {
	end := min(s.used+limit, len(s.arena))
	return s.arena[s.used:s.used:end]
}

// finish drops the threads that ended before they were captured, and reads the facts of those
// that appeared late.
func (s *Snapshot) finish(p Process) {
	listed := len(s.index)
	kept := 0
	for i := range s.Threads {
		t := &s.Threads[i]
		if !t.captured || errors.Is(t.Err, ErrThreadGone) {
			continue
		}
		if i >= listed {
			_ = p.Describe(t.ID, t) // it may have ended already, but keeps its frames
		}
		t.Probe = s.probe // one for all
		// Swapped, not copied: each slot keeps a Stacks buffer of its own.
		s.Threads[kept], s.Threads[i] = s.Threads[i], s.Threads[kept]
		kept++
	}
	s.Threads = s.Threads[:kept]
}

// isExited is separate from capture because errors.As allocates.
func isExited(err error) bool {
	var exited *ExitedError
	return errors.As(err, &exited)
}
