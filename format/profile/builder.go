package profile

import (
	"fmt"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Stack is the stack of a thread in one snapshot, as unwind.Walk returned it.
type Stack struct {
	Frames []unwind.Frame // innermost first
	Stop   unwind.Stop
	// Repeat is set if the thread has not run since the previous snapshot, so that its stack
	// is the same. Frames and Stop are then ignored.
	Repeat bool
	// Native are the frames of the walk only, if Frames also has managed ones; nil: Frames are
	// those of the walk.
	Native []unwind.Frame
}

// Walked returns the frames that the walk found, without managed ones.
func (s *Stack) Walked() []unwind.Frame {
	if s.Native != nil {
		return s.Native
	}
	return s.Frames
}

// Builder merges snapshots into a Profile. It is not safe for concurrent use.
type Builder struct {
	p      Profile
	order  []*record // records in the order in which the threads appeared
	last   map[task.ThreadID]*record
	crowd  crowd
	looks  looks
	names  symbolizer
	source *sources // for [Builder.Calls]; nil before its first call
	tasks  []*builtTask
	nodes  []Node         // allocated and not in use yet
	calls  []*Node        // room for the first child of nodes, likewise
	ends   []callee       // keys of all nodes, by their number
	edges  map[edge]*Node // nodes that have many siblings
	notes  map[string]bool
	row    row
	times  *times // nil: timelines are not kept

	maxNodes int
}

// record is a thread during sampling.
type record struct {
	Thread
	top     Node    // parent of the outermost frames
	path    []*Node // stack of the last sample, outermost frame first
	stop    unwind.Reason
	depth   int           // number of frames of the last sample, without inlined ones
	cpu     time.Duration // CPU time when the thread was first seen
	further bool          // the rest of the stack was merged into a [Further] node
	into    *record       // record that the samples are added to; nil: this one
	asked   int           // the last round in which its wait was observed, counted from 1
	told    told
	moments *moments // nil: not kept
	spending
}

// NewBuilder returns a builder for a profile of target. tool is the name and version of the
// capturing program.
func NewBuilder(target task.Info, tool string) *Builder {
	return &Builder{
		p:     Profile{Target: target, Tool: tool},
		last:  map[task.ThreadID]*record{},
		names: newSymbolizer(),
		edges: map[edge]*Node{},
		notes: map[string]bool{},

		maxNodes: maxNodes,
	}
}

// SetTarget replaces the facts on the process.
func (b *Builder) SetTarget(target task.Info) { b.p.Target = target }

// Add adds a snapshot. stacks has one entry for each of s.Threads, in the same order. m has
// the images at the time of s; it must be the same pointer as long as nothing changes.
// Neither s nor stacks is kept.
func (b *Builder) Add(s *task.Snapshot, stacks []Stack, m *images.Map) {
	b.AddEach(s, m, func(i int) Stack {
		if i < len(stacks) {
			return stacks[i]
		}
		return Stack{Stop: unwind.Stop{Reason: unwind.NoRegisters}}
	})
}

// AddEach adds a snapshot, like Add, but calls stack for the stack of each s.Threads[i], in
// order. It does not keep them.
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

// begin adds everything of a snapshot but its threads.
func (b *Builder) begin(s *task.Snapshot, m *images.Map) {
	b.useMap(m)
	b.countStops(s)
	b.p.MissedTicks += s.MissedTicks
	if b.p.Snapshots == 0 {
		b.p.Start = s.Time
	}
	// By the monotonic clock, so that End and Duration are consistent.
	b.p.End = b.p.Start.Add(s.Time.Sub(b.p.Start) + s.Stopped)
	b.p.MissedThreads += s.Missed
	b.keepTime(s.Time)
}

// Stopped returns the total time for which the target was stopped so far.
func (b *Builder) Stopped() time.Duration { return b.p.Stopped }

// CountStop counts a stop of the target that belongs to none of the snapshots, such as a
// repeated one to copy more.
func (b *Builder) CountStop(d time.Duration) {
	b.p.Stops++
	b.p.Stopped += d
	b.p.LongestStop = max(b.p.LongestStop, d)
}

func (b *Builder) countStops(s *task.Snapshot) {
	if s.Stops == 0 && s.Stopped > 0 { // the number of stops is unknown
		b.CountStop(s.Stopped)
		return
	}
	b.p.Stops += s.Stops
	b.p.Stopped += s.Stopped
	b.p.LongestStop = max(b.p.LongestStop, s.LongestStop)
}

// CountCPU adds to the CPU time that sampling has cost this program.
func (b *Builder) CountCPU(d time.Duration) { b.p.OwnCPU += d }

// SetInterval sets the intended interval, and the number of missed snapshots if that is
// more than was counted so far.
func (b *Builder) SetInterval(d time.Duration, missed int) {
	b.p.Interval = d
	b.p.MissedTicks = max(b.p.MissedTicks, missed)
}

// Note adds a note for the reader, unless it is there already.
func (b *Builder) Note(line string) {
	if !b.notes[line] {
		b.notes[line] = true
		b.p.Notes = append(b.p.Notes, line)
	}
}

// useMap makes m the map for names, and adds notes on images that could not be read.
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
		if b.p.Target.Path == "" { // a core does not have it
			b.p.Target.Path = im.Path
		}
		if b.p.Target.Name == "" {
			b.p.Target.Name = im.Name()
		}
		b.p.NameMain()
	}
	for _, im := range m.Images {
		if im.Err != nil {
			b.Note("image " + im.Path + " could not be read: " + im.Err.Error())
		}
	}
}

// thread returns the record of a thread. If the CPU time has decreased, the id was reused
// for a new thread, which gets a new record.
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

// see updates the thread's facts from a snapshot. It keeps those that the snapshot does not
// have.
func (r *record) see(t *task.Thread, snapshot int) {
	r.told = told{t.State, t.Schedule, t.Unstopped, t.Err != nil}
	r.Samples++
	r.Last = snapshot
	r.States.add(t.State, 1)
	if t.Name != "" {
		r.Name = t.Name
	}
	if t.RuntimeName != "" {
		r.RuntimeName = t.RuntimeName
	}
	r.seeGoroutine(&t.Goroutine)
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
		r.State, r.OnCPUState, r.Processor = t.State, t.OnCPUState, t.Processor
		r.User, r.System = t.User, t.System
		r.SuspendCount, r.Lifetime, r.NotRun = t.SuspendCount, t.Lifetime.Known(), t.NotRun
	}
	if t.Unstopped {
		r.Unstopped++
	}
	r.Used = max(0, r.User+r.System-r.cpu)
	if t.Err != nil {
		r.Err = t.Err.Error()
	}
}

// seeGoroutine keeps the goroutine that the thread runs, unless it ran others or none before.
func (r *record) seeGoroutine(g *task.Goroutine) {
	switch {
	case r.Samples == 1:
		r.Goroutine = task.Goroutine{ID: g.ID, Labels: slices.Clone(g.Labels)}
	case r.Goroutine.ID != g.ID:
		r.Goroutine = task.Goroutine{}
	case !slices.Equal(r.Goroutine.Labels, g.Labels):
		r.Goroutine.Labels = nil
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

// countWalks counts the last stack n times.
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

// repeat counts the samples of the last stack n more times.
func (r *record) repeat(n int) {
	for _, node := range r.path {
		node.Count += n
	}
}

// Path returns a thread's stack in the last snapshot, outermost frame first, and the reason
// why it ends there; it is empty if there is none. Two samples of a thread with the same
// last node have the same stack. The slice is valid, and the counts of its nodes are
// constant, until the next snapshot is added.
func (b *Builder) Path(id task.ThreadID) ([]*Node, unwind.Reason) {
	r := b.last[id]
	if r == nil {
		return nil, unwind.Bottom
	}
	return r.path, r.stop
}

// Profile returns the profile so far. It shares its trees with the builder; after another
// snapshot, call Profile again.
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
	p.Tasks = b.tasksBy(source)
	p.Notes = slices.Concat(b.p.Notes, b.SourceNotes())
	if n := b.crowd.threads; n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("there were more than %d threads: %d later ones are shown together with others of their name", maxThreads, n))
	}
	if b.times != nil {
		p.times = slices.Clip(b.times.bytes)
	}
	p.Deadlocks = b.Deadlocks()
	p.Images = b.names.located()
	if p.Target.Translated && p.Frames == 0 {
		p.Images = b.names.mapped()
	}
	markMain(p.Target, p.Threads)
	sortThreads(p.Threads, p.Sampled())
	crashedFirst(p.Target.Crash, p.Threads)
	return &p
}
