package capture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/goroutines"
	"stacksnap/format/profile/capture/tasks"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// maxSampled is the maximum number of bytes copied of one stack in a sample.
const maxSampled = 8 << 20

// progressPause is the shortest time between two calls of [Options].Progress.
const progressPause = 100 * time.Millisecond

// Record samples a process and merges the samples. When ctx is done it returns
// what there is, without an error. With an error, such as a *[task.ExitedError],
// the profile has what was captured before; it is nil when nothing was.
func Record(ctx context.Context, p task.Process, o Options) (*profile.Profile, error) {
	used := OwnCPU()
	r, err := newRecorder(p, o)
	if err != nil {
		return nil, err
	}
	defer r.tracker.close()
	r.observe()
	for s, err := range task.Sample(ctx, p, task.Options{
		Interval: o.Interval, Duration: o.Duration, Count: o.Count, Jitter: o.Jitter,
		Suspend: o.Suspend, MaxStop: o.MaxStop, Threads: r.captured(), Watch: r.watch, Alone: o.Alone,
		StopShare: o.StopShare,
		Ended:     func(missed int) { r.missedTicks += missed },
	}) {
		if s != nil {
			r.missedTicks += s.MissedTicks
			r.parted = r.parted || s.Parted
			r.noteSpared(s)
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

// recorder samples a process: it stops the threads repeatedly, each as briefly as possible, and
// leaves out samples in unknown code.
type recorder struct {
	*target
	began       time.Time
	progressed  time.Time // when progress was reported last
	taken       int
	missedTicks int  // as the sampling counts them
	left        int  // samples that were left out
	lackKernel  int  // stacks without the thread's frames in the kernel
	parted      bool // a snapshot was taken by several stops
	last        *task.Snapshot
	rounds      rounds
	queried     bool           // a thread waited for something that another process may end
	again       []unwind.Frame // frames of a stack that is the same as before
}

func newRecorder(p task.Process, o Options) (*recorder, error) {
	wanted, err := wantedThreads(&o.Threads, p)
	if err != nil {
		return nil, err
	}
	if err := task.CanStop(p, o.Suspend); err != nil {
		return nil, err // before there is a file
	}
	began := time.Now()
	t, err := newTarget(p, o, o.Interval)
	if err != nil {
		return nil, err
	}
	t.wanted, t.maxCopy, t.missing = wanted, maxSampled, map[task.ThreadID]bool{}
	onStop := t.countStop
	if o.Suspend == task.SuspendNone {
		onStop = nil
	}
	t.start(onStop)
	return &recorder{target: t, began: began}, nil
}

// noteSpared adds a note if fewer snapshots are taken than were requested.
func (r *recorder) noteSpared(s *task.Snapshot) {
	if s.Every > 1 {
		r.note(fmt.Sprintf("snapshots were left out, and count as missed, where stops would have taken more than %.2g %% of the time", 100*r.options.StopShare))
	}
}

// captured returns a function that reports whether to capture a thread; nil: every thread.
func (r *recorder) captured() func(*task.Thread) bool {
	if r.wanted == nil {
		return nil
	}
	return func(t *task.Thread) bool {
		t.RuntimeName = r.runtimes.NameOf(t.ID) // the filter may use it
		return r.rounds.follows(t) || r.wanted(t)
	}
}

// isExit reports whether an error says that the target has ended, or has become another program,
// which the last snapshot may already show.
func isExit(err error) bool {
	_, ok := errors.AsType[*task.ExitedError](err)
	return ok
}

// observe makes the kernel copy threads as they run, if nothing is stopped.
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
	r.tracker.begin(s)
	left := r.leaveOut(s, r.walk(s))
	looks, whole := r.look(s)
	r.dropOwners(s)
	if whole {
		r.rounds.end(r.taken)
	}
	r.left += left
	r.lackKernel += r.options.lacksKernel(s)
	r.taken++
	r.last = s
	err := r.merge(s, looks, whole)
	r.progress()
	if err == nil {
		err = r.report(s, looks)
	}
	if err != nil {
		return err
	}
	if left > 0 || r.doubtful {
		r.tracker.reread()
	}
	r.tracker.unsure = left > 0
	return nil
}

// report passes a snapshot that was added to the callbacks of the options.
func (r *recorder) report(s *task.Snapshot, looks []profile.Look) error {
	if r.options.Added != nil {
		b := r.builder
		r.options.Added(&Added{Snapshot: s, Looks: looks, Path: b.Path, Calls: b.Calls, Deadlocks: b.Deadlocks(), Profile: r.soFar, Tasks: r.tasks})
	}
	if r.options.Each != nil {
		return r.options.Each(s, r.tracker.images)
	}
	return nil
}

// soFar returns the profile of what was sampled until now.
func (r *recorder) soFar() *profile.Profile {
	r.builder.SetInterval(r.options.Interval, r.missedTicks)
	return r.builder.Profile()
}

// leaveOut drops the samples whose code was remapped while they were taken: they may be of the
// old code or of the new. v is the verdict of the walk. It returns how many it dropped.
func (r *recorder) leaveOut(s *task.Snapshot, v verdict) (left int) {
	r.forgetMissing(s)
	kept := 0
	for i := range s.Threads {
		if s.Threads[i].Err == task.ErrTorn {
			r.torn++
			continue
		}
		if !r.meets(&s.Threads[i]) {
			r.unmet++
			continue
		}
		if v == remappedCode && r.isRemapped(s, i) {
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
	if r.options.Progress != nil && time.Since(r.progressed) >= progressPause {
		r.progressed = time.Now()
		r.options.Progress(r.progressed.Sub(r.began), r.taken)
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
		looks = r.lookAtEnd()
	}
	if err == nil {
		r.addTasks()
	}
	cpu := OwnCPU() - used
	if follows {
		r.options.Followed(r.followLast(looks))
	}
	return r.finish(looks, r.missed(ctx, err), cpu, err)
}

// tasks returns the tasks that no thread runs now, if all threads are wanted. It has an unwinder
// of its own, whose cache is not in the recording.
func (r *recorder) tasks() []*profile.Task {
	if r.wanted != nil || r.options.NoRuntimes {
		return nil
	}
	found, _ := tasks.Find(&goroutines.Source{
		Process: r.process, Memory: r.code, Images: r.tracker.images, Unwinder: newUnwinder(r.process.Info(), &r.tracker.memoryMap),
	}, r.runtimes)
	b := profile.NewBuilder(r.process.Info(), r.options.Tool)
	found.AddTo(b, r.tracker.images)
	return b.Profile().Tasks
}

// addTasks adds the tasks that no thread runs at the end, if all threads are wanted. In a live
// view only a recording has an end.
func (r *recorder) addTasks() {
	if r.taken > 0 && r.wanted == nil && (r.options.Added == nil || r.saving != nil) {
		r.target.addTasks(&goroutines.Source{})
	}
}

// finish completes the profile, with the observations at the end.
func (r *recorder) finish(looks []profile.Look, missed int, cpu time.Duration, err error) (*profile.Profile, error) {
	if r.left > 0 {
		r.note(fmt.Sprintf("samples left out, because the code they were in was being loaded or unloaded: %d", r.left))
	}
	if only := r.onlyErr(); only != nil {
		return nil, errors.Join(only, r.saving.close(recording.End{}))
	}
	if r.taken == 0 {
		return nil, errors.Join(err, r.saving.close(recording.End{}))
	}
	r.noteKernel(r.lackKernel)
	if exited, ok := errors.AsType[*task.ExitedError](err); ok && exited.Err != nil && !r.options.ToEnd {
		r.note(fmt.Sprintf("the sampling ended early: %v", exited.Err))
	}
	r.builder.Look(looks, true)
	if r.options.Suspend == task.SuspendTask && r.parted {
		r.note(partedLine)
	}
	r.builder.SetInterval(r.options.Interval, missed)
	r.builder.CountCPU(cpu)
	made, unsaved := r.target.finish(recording.End{MissedTicks: missed, OwnCPU: cpu, Looks: savedLooks(looks)})
	return made, errors.Join(err, unsaved)
}

// missed returns how many snapshots were due and not taken: of the whole duration if the
// sampling lasted that long, else until it ended.
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
