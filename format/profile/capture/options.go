package capture

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes"
)

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
	MaxStop  time.Duration // of the target, for copies; 0: as long as is usual, see [task.LimitStop]
	// StopShare is the part of the time that stops may take, see [task.Options].
	StopShare float64
	Gate      *task.Gate // within which the target is stopped; may be nil
	Suspend   task.Suspension
	Threads   profile.ThreadFilter
	Kernel    bool // frames in the kernel are captured, too
	// Native keeps the native frames of interpreters beside the managed ones; NoRuntimes has
	// nothing read of languages' runtimes: no managed frames, no goroutines. NoTasks has nothing
	// read that no thread runs.
	Native, NoRuntimes bool
	NoTasks            bool
	// Only selects threads by what they do in a language's runtime, sample by sample.
	Only   runtimes.Condition
	ToEnd  bool // that the target ends is expected, and not noted
	Alone  bool // see [task.Options]
	Follow bool // [OneShots]: the processes that these wait for are captured, too
	// StacksAlone has a snapshot of one process not search other processes for what threads wait for,
	// nor read for how long they have not run.
	StacksAlone bool
	// Timelines has the profile keep when each sample was taken, see
	// [profile.Builder.KeepTimelines].
	Timelines bool
	// Progress is called now and then with how long the sampling has gone on and how many
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

// Added is the last snapshot of a sampling that goes on. All of it is valid during the
// call alone that it is given to; the target runs meanwhile.
type Added struct {
	Snapshot *task.Snapshot
	Looks    []profile.Look // at what threads wait for: at some of them now and then
	// Path is the stack of a thread, as [profile.Builder.Path] has it.
	Path func(task.ThreadID) ([]*profile.Node, unwind.Reason)
	// Calls are those that a node of Path represents, as [profile.Builder.Calls] has them.
	Calls func(*profile.Node) []*profile.Node
	// Deadlocks are those that were found so far, as [profile.Builder.Deadlocks] has them.
	Deadlocks []profile.Deadlock
	// Profile is what was sampled so far.
	Profile func() *profile.Profile
	// Tasks reads what no thread runs now, which may take a while.
	Tasks func() []*profile.Task
}

// KeepTimelines has a profile keep what the options want.
func (o *Options) KeepTimelines(b *profile.Builder) {
	if o.Timelines {
		b.KeepTimelines()
	}
}

// askKernel has a process report where its threads are in the kernel, if that is wanted. Lacks
// says what it cannot report.
func (o *Options) askKernel(p task.Process) (lacks string, err error) {
	if !o.Kernel {
		return "", nil
	}
	return task.CopyKernel(p)
}

// lacksKernel counts the threads of a snapshot that waited in the kernel at an unknown
// place.
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
