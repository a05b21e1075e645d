package task

import (
	"errors"
	"slices"
	"time"
)

// The bounds of what one stop copies.
const (
	// FirstStackLimit is how many bytes of each stack are copied by default.
	FirstStackLimit = 256 << 10
	// MaxStackLimit is the most that is copied of one stack, whatever was asked.
	MaxStackLimit = 64 << 20
	// MaxStacks is how many ranges are kept of one thread's stack.
	MaxStacks = 4
	// RedZone is how far below the stack pointer a leaf function may keep data
	// (System V AMD64 and Apple arm64 ABIs: 128 bytes).
	RedZone = 128

	maxArena     = 512 << 20 // bytes reserved for all stacks together
	partArena    = 16 << 20  // and for those of a part
	spareThreads = 64        // threads that may appear between listing and stop
	manyThreads  = 4096      // of more no more than a short piece is copied at first in a sampling
	shortPieces  = 16 << 20  // bytes of all such pieces together
	leastPiece   = 768
	usualStack   = 64 << 10  // bytes reserved for each stack while Limit is the first
	touchedStack = 8 << 10   // bytes of each stack whose pages are made before the stop
	spareStack   = 16 << 10  // bytes reserved for each of those that may appear
	touchedMore  = 128 << 10 // and of all together beyond that, for deep stacks and threads that appear
	pageSize     = 4 << 10   // the smallest page of any host
)

// Snapshot is every thread of a process at one instant. It is reused from one
// Take to the next with its buffers; the zero value is ready.
type Snapshot struct {
	Time    time.Time     // when the target was ordered to stop
	Stopped time.Duration // from the order to stop until it was running again
	Threads []Thread
	Missed  int // threads that appeared faster than room could be made for them
	// MissedTicks counts the snapshots due since the one before that could not be
	// taken in time; see [Sample].
	MissedTicks int
	// LeftOut is how many of MissedTicks were left out to spare the target, of which one in
	// Every is taken from now on: see [Options].StopShare.
	LeftOut, Every int
	// Stops is how often something of the target was stopped: 1 by [Take]. Stopped is then the
	// time in which any of it was stopped, LongestStop the longest of the stops.
	Stops       int
	LongestStop time.Duration
	// Parted says that the threads were stopped in several parts, see [Divide].
	Parted bool
	// Limit is the most bytes copied of each range of stack; 0 is FirstStackLimit.
	Limit int
	// Want names, for threads whose stack goes on elsewhere, addresses from which
	// on to copy as well: up to MaxStacks-1 of each.
	Want map[ThreadID][]Addr
	// Part has [Take] stop these threads alone, where the process is [Capabilities].Partial; nil:
	// all. They are those that Threads has listed, or some of them.
	Part []ThreadID
	// Long names the threads of which up to Limit is copied where, of very many threads,
	// only a short piece of each stack is at first: see [Snapshot.Lengthen].
	Long map[ThreadID]bool
	// Skip has [Take] not stop threads whose calls a stop would end: see [StopOptions].Skip.
	// Insist lists those that are stopped all the same.
	Skip   bool
	Insist map[ThreadID]bool
	// Unhurried says that nothing is stopped, see [Limits].NoStop: no time is saved then by
	// making ahead the memory into which stacks are copied.
	Unhurried bool
	// Watch is what [Take] probes while the process is stopped. MaxWatch and MaxIDs do not bound
	// it.
	Watch Watch

	prober prober
	probe  StopProbe
	arena  []byte // all stacks of one Take, one behind the other
	used   int
	chains chainRoom        // of all threads of one Take
	short  int              // bytes of a short piece; 0: there is none
	index  map[ThreadID]int // where in Threads
}

// Take stops the process once, copies every thread's registers and used stack
// into s, and lets it run on. What could be captured before an error is in s.
func Take(p Process, s *Snapshot) error {
	if err := s.Prepare(p); err != nil {
		return err
	}
	return s.TakePrepared(p)
}

// Prepare does what [Take] does before the stop. It stops nothing.
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

// TakePrepared is [Take] of a process for which s was prepared just before.
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
// capture stores, and asks for the facts that need no stop.
func (s *Snapshot) PrepareFor(p Process, ids []ThreadID) {
	room := len(ids) + spareThreads
	if s.Part != nil {
		room = len(ids) // others do not come into it
	}
	s.reserve(max(room, 1))
	s.prober.memory, s.prober.watch = p.Memory(), s.Watch
	s.prober.maps = p.Capabilities().Maps
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

// reserve makes room for n threads and their stacks, and touches as much of the
// stacks' room as is usually needed, so that no page is made during the stop.
func (s *Snapshot) reserve(n int) {
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
	listed := n
	if s.Part == nil {
		listed = max(0, n-spareThreads)
	}
	if s.Unhurried {
		n = listed
	}
	s.reserveArena(n, listed)
}

// reserveArena makes room for n stacks, of which listed are sure to come, and the further ranges that
// are wanted.
func (s *Snapshot) reserveArena(n, listed int) {
	each := s.Limit
	if each == FirstStackLimit && len(s.Want) == 0 {
		each = usualStack // few need more; one that finds no room is cut, and copied again
	}
	most := maxArena
	if s.Part != nil {
		each = min(s.Limit, max(partArena/n, usualStack/2))
		most = max(2*partArena, each)
	}
	for _, more := range s.Want {
		n, listed = n+len(more), listed+len(more)
	}
	want := min(listed*each+(n-listed)*min(each, spareStack), most)
	if len(s.arena) >= want {
		return
	}
	s.arena = make([]byte, want)
	if s.Unhurried {
		return
	}
	for i := 0; i < min(listed*touchedStack+touchedMore, want); i += pageSize {
		s.arena[i] = 1
	}
}

// add makes a thread in a slot, keeping the slot's buffers.
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

// slot finds a thread listed before the stop, or takes a spare one. It returns
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

// captureThread copies one thread's registers and stack, and the further ranges
// wanted of it.
func (s *Snapshot) captureThread(p Process, t *Thread) {
	t.captured = true
	t.buf = s.room(s.limitOf(t.ID))
	t.Err = p.Capture(t.ID, t)
	for i := range t.Stacks { // with an error there may be a part of one
		s.used += len(t.Stacks[i].Bytes)
	}
	if t.Err != nil || t.Age > 0 { // what else there is of it is of another moment
		return
	}
	for _, a := range s.Want[t.ID] {
		s.captureMore(p.Memory(), t, a)
	}
	if chains := s.Watch.Chains[t.ID]; chains != nil {
		s.captureChains(p.Memory(), t, chains)
	}
}

// captureChains copies chains of a thread. One that was not stopped may run on: what it began
// with has to be the same afterwards.
func (s *Snapshot) captureChains(m Memory, t *Thread, chains []Chain) {
	t.Chains = s.chains.copyAll(m, chains)
	if (t.Unstopped || t.Skipped) && !s.chains.holds(m, t.Chains) {
		t.Chains = nil
	}
}

// captureMore copies what is readable from a on as one more range of t's stack.
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

// limitOf is how much is copied of the stack that a thread is on.
func (s *Snapshot) limitOf(id ThreadID) int {
	if s.short > 0 && !s.Long[id] {
		return min(s.short, s.Limit)
	}
	return s.Limit
}

// Lengthen has the next copy of a thread's stack be as long as Limit. It reports false
// where this one was.
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

// shortPiece is how much is copied at first of each of n stacks; 0: as much as else.
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

// finish drops the threads that ended before they were captured and asks for
// the facts of those that appeared late.
func (s *Snapshot) finish(p Process) {
	listed := len(s.index)
	kept := 0
	for i := range s.Threads {
		t := &s.Threads[i]
		if !t.captured || errors.Is(t.Err, ErrThreadGone) {
			continue
		}
		if i >= listed {
			_ = p.Describe(t.ID, t) // it may have ended already, and keeps its frames then
		}
		t.Probe = s.probe // one for all
		// Swapped, not copied: each slot keeps a Stacks buffer of its own.
		s.Threads[kept], s.Threads[i] = s.Threads[i], s.Threads[kept]
		kept++
	}
	s.Threads = s.Threads[:kept]
}

// isExited is apart from capture because errors.As allocates.
func isExited(err error) bool {
	var exited *ExitedError
	return errors.As(err, &exited)
}
