package capture

import (
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/goroutines"
	"stacksnap/format/profile/capture/managed"
	"stacksnap/format/profile/capture/tasks"
	"stacksnap/format/profile/waits"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes"
)

// target is a process that is captured: its mappings, what its stacks are walked with, and the
// profile and the recording that are made. A [shot] or a [recorder] stops it, each in its own
// way, and passes its snapshots on to the target.
type target struct {
	process  task.Process
	options  Options
	wanted   func(*task.Thread) bool // nil: all threads
	builder  *profile.Builder
	tracker  *tracker
	unwinder *unwind.Unwinder
	code     *codeMemory
	saving   *saving
	saved    *images.Map // the images with which the recording's last snapshot was walked
	maxCopy  int         // bytes of one stack

	runtimes *managed.Runtimes

	stacks    []profile.Stack        // of the last snapshot that was walked
	frames    []unwind.Frame         // the frames of all of stacks
	joined    []unwind.Frame         // the frames of stacks with managed frames
	lacking   []task.ThreadID        // threads of that snapshot whose stacks need a longer copy
	missing   map[task.ThreadID]bool // threads whose last sample was left out or cut
	later     int                    // stacks whose managed frames are of a later moment than the native ones
	unmet     int                    // samples left out because their thread did not meet Options.Only
	torn      int                    // samples left out because their managed frames changed
	doubtful  bool                   // one of its walks led to where no code is known
	questions []waits.PeerQuery      // that are open of what its threads wait for
}

// newTarget prepares the capture of a process. It reads nothing of the process before start.
// interval is the time between snapshots, 0 if that is not known.
func newTarget(p task.Process, o Options, interval time.Duration) (*target, error) {
	lacks, err := o.askKernel(p)
	if err != nil {
		return nil, err // before there is a file
	}
	task.SetLimits(p, task.Limits{Gate: o.Gate, MaxCopy: o.MaxStop})
	t := &target{process: p, options: o, builder: profile.NewBuilder(p.Info(), o.Tool), code: &codeMemory{live: p.Memory()}}
	o.KeepTimelines(t.builder)
	if t.saving, err = newSaving(p, t.code, &o, interval); err != nil {
		return nil, err
	}
	t.note(lacks)
	return t, nil
}

// start reads what is mapped. It calls onStop for each stop that belongs to no snapshot; nil: no
// such stop is allowed.
func (t *target) start(onStop func(time.Duration)) {
	t.tracker = newTracker(t.process, t.note, onStop, t.saving, &t.options, t.code)
	t.unwinder = newUnwinder(t.process.Info(), &t.tracker.memoryMap)
	if !t.options.NoRuntimes {
		t.runtimes = managed.New(t.process, t.code, t.options.Native, t.note)
		t.runtimes.Only(t.options.Only)
	}
}

// recordTo makes later snapshots be written to another recording; nil: to none. It makes a new
// unwinder: a recording needs all memory that a walk reads, and an unwinder does not read again
// what it has in its cache.
func (t *target) recordTo(s *saving) {
	t.saving = s
	t.tracker.place(s)
	t.unwinder = newUnwinder(t.process.Info(), &t.tracker.memoryMap)
}

// newUnwinder returns an unwinder for a memory map that may change.
func newUnwinder(info task.Info, l *memoryMap) *unwind.Unwinder {
	return unwind.New(unwind.Options{
		CodeMask: info.CodeMask, Executable: func(a task.Addr) bool { return l.executable(a) },
	})
}

// note adds a line for readers of the report and of the recording, unless it is empty.
func (t *target) note(line string) {
	if line != "" {
		t.builder.Note(line)
		t.saving.note(line)
	}
}

// noteKernel adds a note on how many threads waited at an unknown place in the kernel.
func (t *target) noteKernel(lacking int) {
	if lacking == 0 {
		return
	}
	stacks := "stacks"
	if lacking == 1 {
		stacks = "stack"
	}
	t.note(fmt.Sprintf("frames in the kernel that are not known, for the thread went on before it could be proven whose they were: of %d %s", lacking, stacks))
}

// noteLater notes what is not known of threads that ran while they were read without a stop.
func (t *target) noteLater() {
	if t.later > 0 {
		t.note(fmt.Sprintf("stacks of threads that ran: their Python functions are known, but not the native code that these called: %d", t.later))
	}
	if t.torn > 0 {
		t.note(fmt.Sprintf("samples left out, because their Python functions changed each time that they were read: %d", t.torn))
	}
}

// countStop counts a stop besides those of the snapshots that are added, if there was one.
func (t *target) countStop(stopTime time.Duration) {
	if stopTime > 0 {
		t.builder.CountStop(stopTime)
		t.saving.stopped(stopTime)
	}
}

// merge adds a snapshot that was walked, and observations of its threads, to the profile and the
// recording. whole means that the observations end a round.
func (t *target) merge(s *task.Snapshot, looks []profile.Look, whole bool) error {
	t.tracker.name(t.builder)
	t.builder.Add(s, t.stacks, t.tracker.images)
	t.builder.Look(looks, whole)
	t.saving.tell(t.tracker.memoryMap)
	if err := t.saving.add(s, t.stacks, t.tracker.images, looks, whole); err != nil {
		return err
	}
	t.saved = t.tracker.images
	return nil
}

// addTasks adds the tasks that no thread runs, to the profile and to the end of the recording.
// The target runs meanwhile.
func (t *target) addTasks(from *goroutines.Source) {
	if _, err := t.process.Threads(); err != nil || t.options.NoRuntimes || t.options.NoTasks || t.options.Only != runtimes.Any {
		return
	}
	from.Process, from.Memory, from.Images, from.Unwinder = t.process, t.code, t.tracker.images, t.unwinder
	found, notes := tasks.Find(from, t.runtimes)
	for _, line := range notes {
		t.note(line)
	}
	found.AddTo(t.builder, t.tracker.images)
	t.saving.keepTasks(&found)
}

// finish makes the profile, and ends the recording.
func (t *target) finish(end recording.End) (*profile.Profile, error) {
	t.tracker.noteShort()
	t.runtimes.Note()
	t.noteLater()
	t.noteOnly()
	made := t.saving.profile(t.builder)
	return made, t.saving.close(end)
}
