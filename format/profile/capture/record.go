package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/profile/waits"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// maxSampled is the most that is copied of one stack at each sample.
const maxSampled = 8 << 20

// usualFrames is how many frames of a stack there is room for before it is walked: in
// more the frames are found one room after another, none of which can be given back.
const usualFrames = 6

// progressPause is how often progress is told.
const progressPause = 100 * time.Millisecond

// Options says how a process is recorded. See [task.Options] for those of the
// same name.
type Options struct {
	Tool     string
	Save     string           // the file of a recording to make besides; empty: none
	SaveTo   recording.Output // what it is written to instead; nil: Save tells
	Binaries *binaries.Index  // for what a core and the files of a process lack; nil: nothing
	Files    *images.Files    // open for other processes, too; nil: for none
	Interval time.Duration
	Duration time.Duration
	Count    int
	Jitter   time.Duration
	MaxStop  time.Duration // of the target, for copies; 0: as long as is usual, see [task.Limits]
	Gate     *task.Gate    // within which the target is stopped; may be nil
	Suspend  task.Suspension
	Threads  Threads
	Kernel   bool // where threads are in the kernel is told, too
	ToEnd    bool // that the target ends is expected, and not noted
	Alone    bool // see [task.Options]
	Follow   bool // [OneShots]: what the processes wait for is captured, too
	// Timelines has the profile keep when each sample was taken, see
	// [profile.Builder.KeepTimelines].
	Timelines bool
	// Progress is told now and then how long the sampling has gone on and how many
	// snapshots were taken; may be nil.
	Progress func(elapsed time.Duration, snapshots int)
	// Taken is called when no more snapshots are taken: what is left to do does not
	// heed the context. May be nil.
	Taken func()
	// Each is given every snapshot with the images that it was walked by, as it is
	// added; an error from it ends the recording. May be nil.
	Each func(*task.Snapshot, *images.Map) error
	// Followed is given what the process waits for at the end, as [OneShots] captures it
	// with Follow. May be nil: then that is not captured.
	Followed func(hangreport.Followed)
	// Added is given every snapshot when it was added. May be nil.
	Added func(*Added)
}

// Record samples a process and merges the samples. When ctx is done it returns
// what there is, without an error. With an error, such as a *[task.ExitedError],
// the profile has what was captured before; it is nil when nothing was.
func Record(ctx context.Context, p task.Process, o Options) (*profile.Profile, error) {
	used := ownCPU()
	r, err := newRecorder(p, o)
	if err != nil {
		return nil, err
	}
	defer r.follow.close()
	r.observe()
	for s, err := range task.Sample(ctx, p, task.Options{
		Interval: o.Interval, Duration: o.Duration, Count: o.Count, Jitter: o.Jitter,
		Suspend: o.Suspend, MaxStop: o.MaxStop, Threads: r.captured(), Watch: r.follow.watch, Alone: o.Alone,
		Ended: func(missed int) { r.missedTicks += missed },
	}) {
		if s != nil {
			r.missedTicks += s.MissedTicks
			r.parted = r.parted || s.Parted
		}
		if err == nil {
			err = r.add(s)
		} else if s != nil && len(s.Threads) > 0 && !isExit(err) {
			err = errors.Join(err, r.add(s))
		}
		if err != nil {
			return r.end(ctx, used, err)
		}
	}
	return r.end(ctx, used, nil)
}

// keepTimelines has a profile keep what the options want.
func (o *Options) keepTimelines(b *profile.Builder) {
	if o.Timelines {
		b.KeepTimelines()
	}
}

// askKernel has a process tell where its threads are in the kernel, if that is wanted,
// and says what it cannot tell.
func (o *Options) askKernel(p task.Process) (lacks string, err error) {
	if !o.Kernel {
		return "", nil
	}
	return task.CopyKernel(p)
}

// noteKernel tells of threads that waited, and of which it is not known where.
func noteKernel(lacking int, note func(string)) {
	if lacking > 0 {
		note(fmt.Sprintf("frames in the kernel that are not known, for the thread went on before it could be proven whose they were: of %s", counted(lacking, "stack")))
	}
}

// lacksKernel counts the threads of a snapshot that waited in the kernel, and of which
// it is not known where.
func (o *Options) lacksKernel(s *task.Snapshot) (n int) {
	if !o.Kernel {
		return 0
	}
	for i := range s.Threads {
		if t := &s.Threads[i]; t.Err == nil && t.LacksKernel() {
			n++
		}
	}
	return n
}

// captured tells which threads are: nil for all of them.
func (r *recorder) captured() func(*task.Thread) bool {
	if r.wanted == nil {
		return nil
	}
	return func(t *task.Thread) bool { return r.rounds.follows(t) || r.wanted(t) }
}

// isExit reports whether the target is another program by now, of which the last
// snapshot may be.
func isExit(err error) bool {
	var exited *task.ExitedError
	return errors.As(err, &exited)
}

// recorder is what is kept from one snapshot to the next.
type recorder struct {
	options     Options
	process     task.Process
	wanted      func(*task.Thread) bool // nil: all threads
	builder     *profile.Builder
	follow      *follower
	unwinder    *unwind.Unwinder
	stacks      []profile.Stack
	frames      []unwind.Frame         // of all stacks of a snapshot
	lacking     int                    // stacks without those in the kernel
	missing     map[task.ThreadID]bool // threads whose last sample was left out or cut
	began       time.Time
	told        time.Time
	taken       int
	missedTicks int  // as the sampling counts them
	left        int  // samples that were left out
	parted      bool // a snapshot was taken by several stops
	doubtful    bool // the last snapshot led to where no code is known
	saving      *saving
	code        *codeMemory
	saved       *images.Map // of the last snapshot
	last        *task.Snapshot
	rounds      rounds
	questions   []waits.Question // that the last looks leave open
	again       []unwind.Frame   // of a stack that is the same as before
}

func newRecorder(p task.Process, o Options) (*recorder, error) {
	wanted, err := o.Threads.filter(p)
	if err != nil {
		return nil, err
	}
	if err := task.CanStop(p, o.Suspend); err != nil {
		return nil, err // before there is a file
	}
	lacks, err := o.askKernel(p)
	if err != nil {
		return nil, err
	}
	task.SetLimits(p, task.Limits{Gate: o.Gate, MaxCopy: o.MaxStop})
	r := &recorder{options: o, process: p, wanted: wanted, began: time.Now(), builder: profile.NewBuilder(p.Info(), o.Tool), code: &codeMemory{live: p.Memory()}}
	o.keepTimelines(r.builder)
	if r.saving, err = newSaving(p, r.code, &o, o.Interval); err != nil {
		return nil, err
	}
	r.missing = map[task.ThreadID]bool{}
	stood := r.countStop
	if o.Suspend == task.SuspendNone {
		stood = nil
	}
	r.follow = newFollower(p, r.note, stood, r.saving, &o, r.code)
	if lacks != "" {
		r.note(lacks)
	}
	r.unwinder = unwind.New(unwind.Options{
		CodeMask:   p.Info().CodeMask,
		Executable: func(a task.Addr) bool { return r.follow.layout.executable(a) },
	})
	return r, nil
}

// note tells a reader of the report, and of the recording, a line.
func (r *recorder) note(line string) {
	r.builder.Note(line)
	r.saving.note(line)
}

// countStop counts a stop besides those of the snapshots.
func (r *recorder) countStop(stood time.Duration) {
	r.builder.CountStop(stood)
	r.saving.stopped(stood)
}

// observe has threads that run be copied, where nothing is stopped to see them.
func (r *recorder) observe() {
	running := r.process.Capabilities().Running
	if r.options.Suspend != task.SuspendNone || running == nil {
		return
	}
	if err := running.CopyRunning(r.options.Interval); err != nil {
		r.note(err.Error())
	}
}

// add walks and adds one snapshot.
func (r *recorder) add(s *task.Snapshot) error {
	r.follow.begin(s)
	r.walkAsCaptured(s)
	left := r.leaveOut(s)
	looks, whole := r.look(s)
	r.dropOwners(s)
	if whole {
		r.rounds.end(r.taken)
	}
	r.follow.name(r.builder)
	r.builder.Add(s, r.stacks, r.follow.images)
	r.builder.Look(looks, whole)
	r.left += left
	r.lacking += r.options.lacksKernel(s)
	r.taken++
	r.last = s
	r.progress()
	r.saving.tell(r.follow.layout)
	if err := r.saving.add(s, r.stacks, r.follow.images, looks, whole); err != nil {
		return err
	}
	r.saved = r.follow.images
	if r.options.Added != nil {
		r.options.Added(&Added{s, looks, r.builder, r.soFar})
	}
	if r.options.Each != nil {
		if err := r.options.Each(s, r.follow.images); err != nil {
			return err
		}
	}
	if left > 0 || r.doubtful {
		r.follow.reread()
	}
	r.follow.unsure = left > 0
	return nil
}

// soFar is the profile of what was sampled.
func (r *recorder) soFar() *profile.Profile {
	r.builder.SetInterval(r.options.Interval, r.missedTicks)
	return r.builder.Profile()
}

// walkAsCaptured walks a snapshot in the images that were mapped then.
func (r *recorder) walkAsCaptured(s *task.Snapshot) {
	v := r.walk(s)
	if v == generatedCode {
		r.follow.reread()
		v = r.walk(s)
	}
	if v != exchanged {
		return
	}
	before := r.countExchanged(s)
	if !r.follow.adopt(s, func(i int) bool { return r.isExchanged(s, i) }) {
		return
	}
	r.walk(s)
	if r.countExchanged(s) > before {
		r.follow.goBack()
		r.walk(s)
	}
}

// countExchanged counts the threads whose samples would be left out.
func (r *recorder) countExchanged(s *task.Snapshot) (n int) {
	for i := range s.Threads {
		if r.isExchanged(s, i) {
			n++
		}
	}
	return n
}

// isExchanged reports whether the walk of a thread led to code that is not known
// to be what was there.
func (r *recorder) isExchanged(s *task.Snapshot, i int) bool {
	st := &r.stacks[i]
	return !st.Repeat && r.follow.check(&s.Threads[i], st.Frames, st.Stop) == exchanged
}

// walk walks the stacks that are not those of the sample before.
func (r *recorder) walk(s *task.Snapshot) verdict {
	worst := asKnown
	r.doubtful = false
	r.stacks, r.frames = slices.Grow(r.stacks[:0], len(s.Threads)), slices.Grow(r.frames[:0], usualFrames*len(s.Threads))
	for i := range s.Threads {
		t := &s.Threads[i]
		if t.Same && !r.missing[t.ID] && r.repeats() {
			r.stacks = append(r.stacks, profile.Stack{Repeat: true})
			continue
		}
		first := len(r.frames)
		var stop unwind.Stop
		r.frames, stop = r.unwinder.Walk(r.frames, t, r.follow.images, r.saving.memory(r.code))
		frames := r.frames[first:len(r.frames):len(r.frames)]
		r.stacks = append(r.stacks, profile.Stack{Frames: frames, Stop: stop})
		if stop.Reason == unwind.NotCaptured && t.Err == nil {
			want(s, t, frames, stop.Need, maxSampled)
		}
		worst = max(worst, r.follow.check(t, frames, stop))
		r.doubtful = r.doubtful || r.follow.doubts(stop)
	}
	return worst
}

// repeats reports whether a stack that is the same as before need not be walked. A
// recording, in which every stack is walked again, wants it to be checked in
// other images.
func (r *recorder) repeats() bool { return r.saving == nil || r.saved == r.follow.images }

// leaveOut drops the samples that were taken while the code which they are in
// was exchanged: whether it was the old or the new cannot be told.
func (r *recorder) leaveOut(s *task.Snapshot) (left int) {
	r.forgetMissing(s)
	kept := 0
	for i := range s.Threads {
		if r.isExchanged(s, i) {
			r.missing[s.Threads[i].ID] = true // or less than there is: it is not repeated
			if !r.cut(&s.Threads[i], &r.stacks[i]) {
				left++
				continue
			}
		} else if len(r.missing) > 0 {
			delete(r.missing, s.Threads[i].ID)
		}
		s.Threads[kept], r.stacks[kept] = s.Threads[i], r.stacks[i]
		kept++
	}
	s.Threads, r.stacks = s.Threads[:kept], r.stacks[:kept]
	return left
}

// cut keeps of a sample the frames of which it is known in what code they were. It
// says false when there are none.
func (r *recorder) cut(t *task.Thread, s *profile.Stack) bool {
	t.Sure = r.follow.countSure(t, s)
	cutUnsure(t, s)
	return t.Sure > 0
}

// forgetMissing drops threads that have ended, now and then.
func (r *recorder) forgetMissing(s *task.Snapshot) {
	const many = 1000
	if len(r.missing) < many+len(s.Threads) {
		return
	}
	old := r.missing
	r.missing = map[task.ThreadID]bool{}
	for i := range s.Threads {
		if id := s.Threads[i].ID; old[id] {
			r.missing[id] = true
		}
	}
}

func (r *recorder) progress() {
	if r.options.Progress != nil && time.Since(r.told) >= progressPause {
		r.told = time.Now()
		r.options.Progress(r.told.Sub(r.began), r.taken)
	}
}

// end ends the recording.
func (r *recorder) end(ctx context.Context, used time.Duration, err error) (*profile.Profile, error) {
	if r.options.Taken != nil {
		r.options.Taken()
	}
	var looks []profile.Look
	follows := err == nil && r.last != nil && r.options.Followed != nil
	switch {
	case follows:
		looks = r.lookAtAll()
	case err == nil:
		looks = r.lastLook()
	}
	cpu := ownCPU() - used
	if follows {
		r.options.Followed(r.followLast(looks))
	}
	return r.finish(looks, r.missed(ctx, err), cpu, err)
}

// finish completes the profile, with looks at the end.
func (r *recorder) finish(looks []profile.Look, missed int, cpu time.Duration, err error) (*profile.Profile, error) {
	if r.left > 0 {
		r.note(fmt.Sprintf("samples left out, because the code they were in was being loaded or unloaded: %d", r.left))
	}
	if r.taken == 0 {
		return nil, errors.Join(err, r.saving.close(recording.End{}))
	}
	noteKernel(r.lacking, r.note)
	var exited *task.ExitedError
	if errors.As(err, &exited) && exited.Err != nil && !r.options.ToEnd {
		r.note(fmt.Sprintf("the sampling ended early: %v", exited.Err))
	}
	r.builder.Look(looks, true)
	if r.options.Suspend == task.SuspendTask && r.parted {
		r.note(partedLine)
	}
	r.follow.noteShort()
	r.builder.SetInterval(r.options.Interval, missed)
	r.builder.CountCPU(cpu)
	made := r.saving.profile(r.builder)
	return made, errors.Join(err, r.saving.close(recording.End{MissedTicks: missed, OwnCPU: cpu, Looks: savedLooks(looks)}))
}

// missed returns how many snapshots were due and not taken: of a sampling that
// went on for the whole duration by that, else as far as it went.
func (r *recorder) missed(ctx context.Context, err error) int {
	o := &r.options
	switch {
	case o.Interval <= 0:
		return 0
	case o.Duration <= 0:
		return r.missedTicks
	}
	due := int((o.Duration + o.Interval - 1) / o.Interval)
	most := max(0, due-r.taken)
	if err != nil || ctx.Err() != nil || o.Count > 0 {
		return min(r.missedTicks, most)
	}
	return most
}
