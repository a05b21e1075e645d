package capture

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/managed"
	"stacksnap/format/profile/capture/tasks"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// Replay makes the profile of a recording: the same one that was made when it was captured. It
// uses only the options Threads, Binaries and Timelines. If a recording was cut off or is
// damaged, it returns the profile of its complete snapshots, and the error.
func Replay(path string, o Options) (*profile.Profile, error) {
	// Most of what is read soon becomes garbage. No more of it may accumulate than a hostile
	// recording may contain.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(softLimit))
	r, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	again := newReplay(r.Reader, o.Binaries)
	if !o.NoRuntimes {
		again.managed = &managed.Saved{All: o.Native}
	}
	o.KeepTimelines(again.builder)
	p, err := again.run(o.Threads)
	return p, errors.Join(err, r.Close())
}

// softLimit is the heap size in bytes above which garbage is collected more often.
const softLimit = 256 << 20

// replay is a recording that is being walked again.
type replay struct {
	reader     *recording.Reader
	process    *recording.Process
	builder    *profile.Builder
	unwinder   *unwind.Unwinder
	images     *images.Map // the images to walk with, as in the capture
	names      *images.Map // the images to name with
	from       *binaries.Index
	budget     *object.Budget // of what is taken from there
	memoryMap  memoryMap
	generation int
	all        bool           // threads of the last snapshot were added
	frames     []unwind.Frame // for one stack
	joined     []unwind.Frame // for one stack, with managed frames
	managed    *managed.Saved // nil: only native frames are wanted
}

func newReplay(r *recording.Reader, from *binaries.Index) *replay {
	h := r.Header()
	p := &replay{reader: r, from: from, budget: object.NewBudget(object.MaxKept, object.MaxRead), process: recording.NewProcess(r), builder: profile.NewBuilder(h.Target, h.Tool)}
	p.unwinder = newUnwinder(h.Target, &p.memoryMap)
	return p
}

func (p *replay) run(threads profile.ThreadFilter) (*profile.Profile, error) {
	for {
		s, err := p.process.Next()
		if err != nil {
			return p.end(err)
		}
		// The main thread of some systems is known by those there are.
		wanted, err := wantedThreads(&threads, p.process)
		if err != nil {
			return nil, err
		}
		p.add(s, wanted)
	}
}

// add walks a snapshot, and adds it as it was added in the capture.
func (p *replay) add(s *recording.Sample, wanted func(*task.Thread) bool) {
	if g := p.reader.Generation(); g != p.generation || p.images == nil {
		p.generation = g
		p.place()
		p.memoryMap = readMemoryMap(p.process)
	}
	for _, d := range s.OtherStops {
		p.builder.CountStop(d)
	}
	for _, n := range s.Notes {
		p.builder.Note(n)
	}
	p.addThreads(s, wanted)
	p.builder.Look(looksOf(s.Looks), s.Whole)
}

func (p *replay) addThreads(s *recording.Sample, wanted func(*task.Thread) bool) {
	// Which threads are wanted can change, and only one that was added is repeated.
	repeats := wanted == nil && p.all
	p.all = wanted == nil
	if repeats && s.Same {
		p.builder.AddChanged(s.Snapshot, p.names, s.Changed, func(i int) profile.Stack { return p.stack(s, i, true) })
		return
	}
	if wanted != nil {
		s.Threads = slices.DeleteFunc(slices.Clone(s.Threads), func(t task.Thread) bool { return !wanted(&t) })
	}
	p.builder.AddEach(s.Snapshot, p.names, func(i int) profile.Stack { return p.stack(s, i, repeats) })
}

// stack walks the stack of a thread, unless it is the same as before and may be repeated. The
// result is valid until the next call.
func (p *replay) stack(s *recording.Sample, i int, repeats bool) profile.Stack {
	if repeats && s.Still[i] {
		return profile.Stack{Repeat: true}
	}
	if !p.reader.Spend(recording.StepsWalk) {
		return profile.Stack{Stop: unwind.Stop{Reason: unwind.NoRegisters, Err: recording.ErrTooMuch}}
	}
	var stop unwind.Stop
	p.frames, stop = p.unwinder.Walk(p.frames[:0], &s.Threads[i], p.images, p.process.Memory())
	p.reader.Spend(stepsOf(p.frames, stop))
	st := profile.Stack{Frames: p.frames, Stop: stop}
	p.join(&s.Threads[i], &st)
	cutUnsure(&s.Threads[i], &st)
	return st
}

// join inserts the managed frames of a thread into its stack.
func (p *replay) join(t *task.Thread, st *profile.Stack) {
	if p.managed == nil {
		return
	}
	var ok bool
	if p.joined, ok = p.managed.Join(p.joined[:0], p.images, t, st.Frames, st.Stop); ok {
		st.Native, st.Frames, st.Stop = st.Frames, p.joined, stopOf(t, st.Stop)
	}
}

// stepsOf returns the number of steps of a walk.
func stepsOf(frames []unwind.Frame, stop unwind.Stop) int {
	steps := recording.StepsFrame * len(frames)
	if stop.Reason != unwind.Bottom {
		steps += recording.StepsScan
	}
	for i := range frames {
		if frames[i].By == unwind.ByScan {
			steps += recording.StepsScan
		}
	}
	return steps
}

// place makes the maps of the images that are mapped from now on.
func (p *replay) place() {
	p.images = recorded.Map(p.reader)
	p.names = p.images
	if p.from != nil {
		p.names = images.NewMap(images.WithSymbols(recorded.Place(p.reader), p.from, p.budget))
		p.names.Cache = p.images.Cache
	}
}

// addTasks adds the tasks that no thread ran at the end.
func (p *replay) addTasks(end *recording.End) {
	found := tasks.Saved(end)
	if !p.reader.Spend(recording.StepsFrame * found.Frames()) {
		p.builder.Note("the tasks that no thread ran are left out: " + recording.ErrTooMuch.Error())
		return
	}
	found.AddTo(p.builder, p.names)
}

// end adds what was known at the end of the capture.
func (p *replay) end(err error) (*profile.Profile, error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	end := p.reader.End()
	if err == nil && p.all && p.managed != nil {
		p.addTasks(&end)
	}
	p.builder.Look(looksOf(end.Looks), true)
	for _, n := range end.Notes {
		p.builder.Note(n)
	}
	if errors.Is(err, recording.ErrTooMuch) {
		p.builder.Note(fmt.Sprintf("only the first %d snapshots of the recording are shown: %v", p.reader.Snapshots(), recording.ErrTooMuch))
	}
	if p.budget.Reached() {
		p.builder.Note(ShortLine)
	}
	p.builder.SetInterval(p.reader.Header().Interval, end.MissedTicks)
	p.builder.CountCPU(end.OwnCPU)
	if p.reader.Snapshots() == 0 {
		if err == nil {
			err = errors.New("the recording has no snapshot")
		}
		return nil, err
	}
	return p.builder.Profile(), err
}
