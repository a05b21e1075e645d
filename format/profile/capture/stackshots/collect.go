package stackshots

import (
	"errors"
	"fmt"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/stackshot"
	"stacksnap/unwind"
)

// stackshotTool is the name of the tool that captures a stackshot.
const stackshotTool = "XNU's stackshot"

// Read makes the profiles of the processes in stackshots, in their order there, of those for
// which wanted returns true; nil: of all. Each of several stackshots is a sample; deltas are
// merged with what came before. The kernel has walked the stacks, so that only names are added,
// from the files in from whose IDs agree; from may be nil.
func Read(shots []*stackshot.Shot, wanted func(task.Info) bool, threads profile.ThreadFilter, from *binaries.Index) ([]*profile.Profile, error) {
	if err := threads.Check(); err != nil {
		return nil, err
	}
	c := newCollector(capture.Options{Tool: stackshotTool, Threads: threads, Binaries: from, Kernel: true}, wanted)
	c.once = len(shots) == 1
	for s := range stackshot.Whole(shots) {
		c.stops.add(s)
		c.add(s)
	}
	return c.profiles(), nil
}

// collector is what has been read of stackshots so far.
type collector struct {
	options capture.Options
	budget  *object.Budget // of what is taken from the binaries
	wanted  func(task.Info) bool
	path    func(pid int, a task.Addr) string // returns the file mapped in a running process; nil: no process runs
	note    string                            // why stackshots are used; may be empty
	index   map[uint64]*process               // by task number
	order   []*process
	once    bool                           // there is only one stackshot: a process is complete when it was added
	caches  map[cacheKey][]stackshot.Image // images of shared caches whose files are available
	stops   stopTimes
	taken   taken // for the process that is being added
}

func newCollector(o capture.Options, wanted func(task.Info) bool) *collector {
	return &collector{
		options: o, wanted: wanted, index: map[uint64]*process{}, caches: map[cacheKey][]stackshot.Image{},
		budget: object.NewBudget(object.MaxKept, object.MaxRead),
	}
}

// process is one of the processes in the stackshots.
type process struct {
	builder *profile.Builder
	profile *profile.Profile // set when it is complete: most of the other fields are no longer needed then
	mains   map[task.ThreadID]bool
	tells   bool // the stackshot says which thread is the main one
	used    []stackshot.Image
	placed  *images.Map            // made from the images in use; nil: they have changed
	taken   map[task.ThreadID]bool // threads of the last stackshot
}

// add adds a stackshot, and reports whether it has any wanted process.
func (c *collector) add(s *stackshot.Shot) (some bool) {
	all := s.Processes()
	who := everybody(all)
	for _, p := range all {
		if c.wanted != nil && !c.wanted(p.Info()) {
			continue
		}
		if ids, _ := p.Threads(); s.Delta && len(ids) == 0 {
			continue
		}
		if p.Task.ID == 0 && !c.options.Kernel {
			continue
		}
		c.addProcess(p, who, c.options.Threads.By(mainOf(p)))
		some = true
	}
	return some
}

// mayLackMain reports whether the main thread may be missing: the kernel has none, and a delta
// need not contain it.
func mayLackMain(p *stackshot.Process) bool { return p.Task.ID == 0 || p.Shot.Delta }

// mainOf returns the main thread of a process, or the oldest if the stackshot does not say which
// it is; 0 if there is none.
func mainOf(p *stackshot.Process) task.ThreadID {
	ids, _ := p.Threads() // it never fails
	switch i := slices.IndexFunc(ids, p.Main); {
	case i >= 0:
		return ids[i]
	case len(ids) == 0, mayLackMain(p):
		return 0
	}
	return slices.Min(ids)
}

func (c *collector) addProcess(p *stackshot.Process, who people, wanted func(*task.Thread) bool) {
	v := c.index[p.Task.ID]
	if v == nil || v.profile != nil { // a number that occurs twice belongs to another process
		v = &process{builder: profile.NewBuilder(p.Info(), c.options.Tool), mains: map[task.ThreadID]bool{}}
		c.options.KeepTimelines(v.builder)
		c.index[p.Task.ID] = v
		c.order = append(c.order, v)
	}
	taken := &c.taken
	v.take(taken, p, wanted, c.options.Kernel)
	for _, note := range taken.notes(p) {
		v.builder.Note(note)
	}
	m := c.place(v, p, taken)
	if len(m.Images) > 0 {
		v.builder.Note("a stackshot tells where an image begins, and not where it ends: its end is that of the last frame in it")
	}
	v.builder.AddEach(&taken.snapshot, m, func(i int) profile.Stack { return taken.stacks[i] })
	looks := who.looks(p, &taken.snapshot)
	v.builder.Look(looks, true)
	for _, t := range taken.snapshot.Threads {
		v.mains[t.ID] = v.mains[t.ID] || p.Main(t.ID)
		v.tells = v.tells || p.Main(t.ID)
	}
	v.tells = v.tells || mayLackMain(p)
	if c.options.Added != nil {
		c.options.Added(&capture.Added{
			Snapshot: &taken.snapshot, Looks: looks, Path: v.builder.Path, Calls: v.builder.Calls, Deadlocks: v.builder.Deadlocks(), Profile: func() *profile.Profile { return c.made(v) },
		})
	}
	if c.once {
		c.end(v)
	}
}

// made returns the profile of a process, from what has been read so far.
func (c *collector) made(v *process) *profile.Profile {
	if !c.once {
		v.builder.SetInterval(c.options.Interval, c.stops.missed)
	}
	p := v.builder.Profile()
	if c.budget.Reached() {
		p.Notes = append(p.Notes, capture.ShortLine)
	}
	for _, note := range []string{c.note, c.stops.note()} {
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	p.EndImages()
	if v.tells {
		p.SetMain(func(t *profile.Thread) bool { return v.mains[t.ID] })
	}
	return p
}

// end makes the profile of a process to which no later stackshot will add.
func (c *collector) end(v *process) {
	v.profile = c.made(v)
	v.builder, v.placed = nil, nil
}

// profiles returns the profiles of all processes.
func (c *collector) profiles() (list []*profile.Profile) {
	for _, v := range c.order {
		if v.profile == nil {
			c.end(v)
		}
		list = append(list, v.profile)
	}
	return list
}

// taken is what a stackshot has of one process. Its memory is reused for the next process.
type taken struct {
	snapshot task.Snapshot
	stacks   []profile.Stack // one for each of its threads
	gaps     int             // stacks that lack frames in the kernel
	async    int             // threads in asynchronous functions, whose callers are not on the stack
	places   []stackshot.Place
	frames   []unwind.Frame // of all stacks
}

// begin resets v for the next process.
func (v *taken) begin(s *stackshot.Shot) {
	v.snapshot = task.Snapshot{Time: s.Time(), MissedTicks: s.Missed, Threads: v.snapshot.Threads[:0]}
	v.stacks, v.frames = v.stacks[:0], v.frames[:0]
	v.gaps, v.async = 0, 0
}

func (v *process) take(now *taken, p *stackshot.Process, wanted func(*task.Thread) bool, kernel bool) {
	now.begin(p.Shot)
	ids, _ := p.Threads() // it never fails
	before := v.taken
	v.taken = make(map[task.ThreadID]bool, len(ids))
	for _, id := range ids {
		var t task.Thread
		if p.Describe(id, &t) != nil || wanted != nil && !wanted(&t) {
			continue
		}
		now.add(p, &t, kernel, before[id] && p.Still(id))
		v.taken[id] = true
	}
}

// add adds a thread. still means that its stack is that of the previous stackshot.
func (v *taken) add(p *stackshot.Process, t *task.Thread, kernel, still bool) {
	var missing stackshot.Missing
	v.places, missing = p.Stack(v.places[:0], t.ID)
	if !kernel {
		v.places, missing.Kernel = ofProgram(v.places), false
	}
	if len(v.places) == 0 {
		t.Err = stackshot.ErrNoStack
	}
	if missing.Kernel {
		v.gaps++
	}
	if p.Async(t.ID) {
		v.async++
	}
	stack := profile.Stack{Repeat: true}
	if !still {
		stack = v.stackOf(missing, p.Task.ID == 0)
	}
	v.snapshot.Threads = append(v.snapshot.Threads, *t)
	v.stacks = append(v.stacks, stack)
}

// ofProgram removes the frames in the kernel.
func ofProgram(places []stackshot.Place) []stackshot.Place {
	return slices.DeleteFunc(places, func(at stackshot.Place) bool { return at.Kernel })
}

// stackOf returns a stack with the frames that the kernel has found by their frame pointers,
// except for the program's own pc.
func (v *taken) stackOf(missing stackshot.Missing, isKernel bool) (s profile.Stack) {
	tooDeep := len(v.places) > unwind.MaxFrames
	places := v.places[:min(len(v.places), unwind.MaxFrames)]
	first, hasUser := len(v.frames), false
	for _, at := range places {
		frame := unwind.Frame{PC: at.Addr, Return: at.Return, Kernel: at.Kernel, By: unwind.ByFramePointer}
		if !at.Return {
			frame.By = unwind.ByRegisters
		}
		v.frames = append(v.frames, frame)
		hasUser = hasUser || !at.Kernel
	}
	s.Frames = v.frames[first:]
	switch {
	case len(places) == 0:
		s.Stop = unwind.Stop{Reason: unwind.NoRegisters, Err: stackshot.ErrNoStack}
	case tooDeep:
		s.Stop = unwind.Stop{Reason: unwind.TooDeep}
	case missing.User, missing.Kernel && isKernel:
		s.Stop = unwind.Stop{Reason: unwind.NotCaptured}
	case !hasUser && !isKernel:
		s.Stop = unwind.Stop{Reason: unwind.NotCaptured, Err: errNoProgram}
	}
	return s
}

var errNoProgram = errors.New("the stackshot has no frame in the program")

// notes returns notes on the stackshot for the reader.
func (v *taken) notes(p *stackshot.Process) (notes []string) {
	s := p.Shot
	if s.Cut != nil {
		notes = append(notes, "the stackshot is not whole: "+s.Cut.Error())
	}
	if s.Delta {
		notes = append(notes, "this is what changed since another stackshot: a thread that has not run has no frames, a process may have the number of its task for a name, and those without threads are left out")
	}
	if p.Task.Ending != nil {
		notes = append(notes, "the process is about to end, or has")
	}
	if s.Bad > 0 {
		notes = append(notes, fmt.Sprintf("%s of the stackshot could not be read", counted(s.Bad, "item")))
	}
	if s.Unknown > 0 {
		notes = append(notes, fmt.Sprintf("%s of the stackshot of kinds that are not known", counted(s.Unknown, "item")))
	}
	if v.gaps > 0 {
		notes = append(notes, fmt.Sprintf("the kernel's part of %s is not whole: callers in the kernel are missing below it", counted(v.gaps, "stack")))
	}
	if v.async > 0 {
		notes = append(notes, fmt.Sprintf("%s in asynchronous functions: those that await them are no callers, and not shown", counted(v.async, "thread")))
	}
	return notes
}

// counted returns a number with its noun.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
