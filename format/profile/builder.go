package profile

import (
	"fmt"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Stack is one walked stack: what unwind.Walk gave for a thread.
type Stack struct {
	Frames []unwind.Frame // innermost first
	Stop   unwind.Stop
	// Repeat says that the thread has not run since the snapshot before, so that
	// the stack is the same; Frames and Stop are then not looked at.
	Repeat bool
}

// Builder merges snapshots into a Profile. It is not safe for concurrent use.
type Builder struct {
	p     Profile
	order []*record // in the order of appearance
	last  map[task.ThreadID]*record
	crowd crowd
	looks looks
	names namer
	nodes []Node         // that are not in use yet
	calls []*Node        // room for the first callee of nodes, likewise
	ends  []callee       // of all nodes, by their number
	edges map[edge]*Node // to those of them that have many siblings
	notes map[string]bool
	row   row
	times *times // nil: no timelines are kept

	maxNodes int
}

// record is a thread while it is being added to.
type record struct {
	Thread
	top     Node    // stands above the outermost frames
	path    []*Node // the stack of the last sample, outermost first
	stop    unwind.Reason
	depth   int           // frames of the last sample, inlined ones not counted
	cpu     time.Duration // used when first seen
	further bool          // the stack goes on from there, not told apart
	into    *record       // takes the samples, with those of other threads; nil: itself
	asked   int           // the round of looks in which it was, counted from 1
	told    told
	moments *moments // nil: none are kept
	spending
}

// NewBuilder starts a profile of target. The tool is named in reports.
func NewBuilder(target task.Info, tool string) *Builder {
	return &Builder{
		p:     Profile{Target: target, Tool: tool},
		last:  map[task.ThreadID]*record{},
		names: newNamer(),
		edges: map[edge]*Node{},
		notes: map[string]bool{},

		maxNodes: maxNodes,
	}
}

// SetTarget tells anew what the process is.
func (b *Builder) SetTarget(target task.Info) { b.p.Target = target }

// Add adds one snapshot. Stacks has one entry for each of s.Threads, in the same
// order; m is what was mapped when s was taken, and the same pointer for as long
// as nothing changed. Neither s nor stacks is kept.
func (b *Builder) Add(s *task.Snapshot, stacks []Stack, m *images.Map) {
	b.AddEach(s, m, func(i int) Stack {
		if i < len(stacks) {
			return stacks[i]
		}
		return Stack{Stop: unwind.Stop{Reason: unwind.NoRegisters}}
	})
}

// AddEach adds one snapshot as Add does, and asks for one stack after the other: of
// the thread s.Threads[i] for each i in order. It does not keep them.
func (b *Builder) AddEach(s *task.Snapshot, m *images.Map, stack func(i int) Stack) {
	b.finishRow()
	b.begin(s, m)
	b.row.full = b.p.Snapshots
	b.row.records = b.row.records[:0]
	for i := range s.Threads {
		b.row.records = append(b.row.records, b.addThread(s, i, stack(i)))
	}
	b.row.at = s.Time
	b.countHalted()
	b.crowd.forget(b.last, b.p.Snapshots)
	b.p.Snapshots++
}

func (b *Builder) addThread(s *task.Snapshot, i int, stack Stack) *record {
	t := &s.Threads[i]
	r := b.thread(t)
	r.take(t, b.p.Snapshots)
	b.addStack(r, &stack, t.Kernel)
	r.spend(t.Schedule, t.State, s.Time)
	b.keepMoments(r, b.p.Snapshots, 1)
	return r
}

// begin adds what a snapshot tells beside its threads.
func (b *Builder) begin(s *task.Snapshot, m *images.Map) {
	b.useMap(m)
	b.countStops(s)
	b.p.MissedTicks += s.MissedTicks
	if b.p.Snapshots == 0 {
		b.p.Start = s.Time
	}
	// By the clock that nobody sets, so that End and Duration tell the same.
	b.p.End = b.p.Start.Add(s.Time.Sub(b.p.Start) + s.Stopped)
	b.p.MissedThreads += s.Missed
	b.keepTime(s.Time)
}

// Stopped is for how long the target was stopped, in all that was added.
func (b *Builder) Stopped() time.Duration { return b.p.Stopped }

// CountStop counts a stop of the target besides those of the snapshots that are
// added, such as one that was repeated to copy more.
func (b *Builder) CountStop(d time.Duration) {
	b.p.Stops++
	b.p.Stopped += d
	b.p.LongestStop = max(b.p.LongestStop, d)
}

func (b *Builder) countStops(s *task.Snapshot) {
	if s.Stops == 0 && s.Stopped > 0 { // not told how many they were
		b.CountStop(s.Stopped)
		return
	}
	b.p.Stops += s.Stops
	b.p.Stopped += s.Stopped
	b.p.LongestStop = max(b.p.LongestStop, s.LongestStop)
}

// CountCPU counts CPU time that the sampling has cost besides the target's.
func (b *Builder) CountCPU(d time.Duration) { b.p.OwnCPU += d }

// SetInterval tells how often snapshots were to be taken, and how many of those
// that were due in all could not be, when that is more than the snapshots say.
func (b *Builder) SetInterval(d time.Duration, missed int) {
	b.p.Interval = d
	b.p.MissedTicks = max(b.p.MissedTicks, missed)
}

// Note adds a line that a reader should know, once.
func (b *Builder) Note(line string) {
	if !b.notes[line] {
		b.notes[line] = true
		b.p.Notes = append(b.p.Notes, line)
	}
}

// useMap takes note of images that could not be read.
func (b *Builder) useMap(m *images.Map) {
	if m == nil || m == b.names.current {
		return
	}
	b.names.use(m)
	if m.Cache != nil {
		b.p.Cache = m.Cache
	}
	if im := m.Main(); im != nil {
		b.p.Main = b.names.image(im)
		if b.p.Target.Path == "" { // a core does not tell
			b.p.Target.Path = im.Path
		}
		if b.p.Target.Name == "" {
			b.p.Target.Name = im.Name()
		}
	}
	for _, im := range m.Images {
		if im.Err != nil {
			b.Note("image " + im.Path + " could not be read: " + im.Err.Error())
		}
	}
}

// thread finds the record of a thread. A thread that has used less CPU time than
// before is another one that was given the id of one that ended.
func (b *Builder) thread(t *task.Thread) *record {
	r := b.last[t.ID]
	if r != nil && (t.State == task.StateUnknown || t.User+t.System >= r.User+r.System) {
		return r
	}
	r = &record{Thread: Thread{ID: t.ID, First: b.p.Snapshots}, cpu: t.User + t.System}
	b.last[t.ID] = r
	if r.into = b.join(t.Name); r.into == nil {
		b.order = append(b.order, r)
	}
	return r
}

// see takes over what a snapshot tells of a thread. A fact that it does not tell
// keeps its last value.
func (r *record) see(t *task.Thread, snapshot int) {
	r.told = told{t.State, t.Schedule, t.Unstopped, t.Err != nil}
	r.Samples++
	r.Last = snapshot
	r.States.add(t.State, 1)
	if t.Name != "" {
		r.Name = t.Name
	}
	if t.Queue != "" {
		r.Queue, r.QueueSerial = t.Queue, t.QueueSerial
	}
	if t.Priority != (task.Priority{}) {
		r.Priority = t.Priority
	}
	if t.QoS != task.UnknownQoS {
		r.QoS = t.QoS
	}
	if t.State != task.StateUnknown {
		r.State, r.Turn, r.Processor = t.State, t.Turn, t.Processor
		r.User, r.System = t.User, t.System
		r.SuspendCount = t.SuspendCount
	}
	if t.Unstopped {
		r.Unstopped++
	}
	r.Used = max(0, r.User+r.System-r.cpu)
	if t.Err != nil {
		r.Err = t.Err.Error()
	}
}

func (b *Builder) addStack(r *record, s *Stack, inKernel []task.KernelFrame) {
	if s.Repeat {
		r.repeat(1)
	} else {
		b.merge(r, s, inKernel)
	}
	b.countWalks(r, 1)
}

// countWalks counts that the stack of the last sample was walked n times.
func (b *Builder) countWalks(r *record, n int) {
	b.p.Walks += n
	b.p.Frames += n * r.depth
	if len(r.path) == 0 {
		r.target().Empty += n
		return
	}
	last := r.path[len(r.path)-1]
	last.Self += n
	if last.States == nil {
		last.States = new(States)
	}
	last.States.add(r.told.state, n)
	if r.stop == unwind.Bottom {
		b.p.Bottoms += n
	}
}

// repeat counts the stack of the last sample n times more.
func (r *record) repeat(n int) {
	for _, node := range r.path {
		node.Count += n
	}
}

// Path returns the stack of a thread of the last snapshot that was added, the outermost
// frame first, and why it is not known beyond that; it is empty where there is none. Two
// samples of a thread that end at the same node have the same stack. What is counted in
// the nodes changes, and the slice is valid, until more is added.
func (b *Builder) Path(id task.ThreadID) ([]*Node, unwind.Reason) {
	r := b.last[id]
	if r == nil {
		return nil, unwind.Bottom
	}
	return r.path, r.stop
}

// Profile returns what was added so far. The trees are shared with the builder:
// after a further Add, ask again.
func (b *Builder) Profile() *Profile {
	b.finishRow()
	p := b.p
	p.Threads = make([]*Thread, len(b.order))
	source := b.names.sources()
	for i, r := range b.order {
		t := r.Thread
		sortNodes(r.top.Children)
		t.Timeline = r.moments.timeline()
		moved := t.Timeline.moves()
		t.Roots = source.withSource(r.top.Children, moved)
		t.Timeline = t.Timeline.moved(moved)
		t.Waits = sortedWaits(r.Waits)
		p.Threads[i] = &t
	}
	p.Notes = slices.Concat(b.p.Notes, b.SourceNotes())
	if n := b.crowd.threads; n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("there were more than %d threads: %d later ones are shown together with others of their name", maxThreads, n))
	}
	if b.times != nil {
		p.times = slices.Clip(b.times.bytes)
	}
	p.Deadlocks = b.looks.stood()
	p.Images = b.names.located()
	if p.Target.Translated && p.Frames == 0 {
		p.Images = b.names.mapped()
	}
	markMain(p.Target, p.Threads)
	sortThreads(p.Threads, p.Sampled())
	crashedFirst(p.Target.Crash, p.Threads)
	return &p
}
