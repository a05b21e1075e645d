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

// Options says how a process is recorded. Options that [task.Options] has, too, are described
// there.
type Options struct {
	Tool     string
	Save     string           // path of a recording to write as well; empty: none
	SaveTo   recording.Output // where to write it instead; nil: Save says where
	Binaries *binaries.Index  // has what a core and the files of a process lack; nil: nothing
	Files    *images.Files    // files that are open for other processes, too; nil: none are
	Interval time.Duration
	Duration time.Duration
	Count    int
	Jitter   time.Duration
	MaxStop  time.Duration // longest stop of the target for copies; 0: the default
	// StopShare is the fraction of the time that stops may take, see [task.Options].
	StopShare float64
	Gate      *task.Gate // held during each stop; may be nil
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
	// snapshots were taken. It may be nil.
	Progress func(elapsed time.Duration, snapshots int)
	// Taken is called when no more snapshots will be taken: the remaining work does not end with
	// the context. It may be nil.
	Taken func()
	// Each is called with every snapshot, and the images with which it was walked, when it is
	// added. Its error ends the recording. It may be nil.
	Each func(*task.Snapshot, *images.Map) error
	// Followed is called with what the process waits for at the end, as [OneShots] captures it
	// with Follow. If it is nil, that is not captured.
	Followed func(hangreport.Followed)
	// Added is called after every snapshot was added. It may be nil.
	Added func(*Added)
}

// Added is the last snapshot of a sampling under way. It is valid only during the call to which
// it is passed; the target runs meanwhile.
type Added struct {
	Snapshot *task.Snapshot
	Looks    []profile.Look // observations of what threads wait for: now and then, of some of them
	// Path returns the stack of a thread, as [profile.Builder.Path] does.
	Path func(task.ThreadID) ([]*profile.Node, unwind.Reason)
	// Calls returns the calls that a node of Path represents, as [profile.Builder.Calls] does.
	Calls func(*profile.Node) []*profile.Node
	// Deadlocks are those found so far, as [profile.Builder.Deadlocks] returns them.
	Deadlocks []profile.Deadlock
	// Profile returns what was sampled so far.
	Profile func() *profile.Profile
	// Tasks reads the tasks that no thread runs now, which may take a while.
	Tasks func() []*profile.Task
}

// KeepTimelines makes a builder keep timelines if the options want them.
func (o *Options) KeepTimelines(b *profile.Builder) {
	if o.Timelines {
		b.KeepTimelines()
	}
}

// askKernel makes a process report where its threads are in the kernel, if that is wanted. lacks
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
