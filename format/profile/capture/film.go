package capture

import (
	"context"
	"fmt"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// Scene is whom [Film] looks at, and by what.
type Scene struct {
	PID    int                  // or [stackshot.OfAll]
	Source stackshot.Source     // of its stackshots
	Kernel stackshot.Source     // of those that tell where the kernel is; nil: that is not asked
	Wanted func(task.Info) bool // of all processes; nil: every one
	Keep   func([]byte) error   // is given each stackshot as a file has it; may be nil
	Note   string               // why it is done so; may be empty
}

// Film makes profiles of running processes by stackshots: nothing is suspended. Of the
// options Tool, Binaries, Threads, Kernel, Timelines, Interval, Duration, Count, Jitter,
// Progress, Added (of each process) and Taken matter. When ctx is done it returns what there is, without an error;
// with an error, such as a *[task.ExitedError], what was captured before.
func Film(ctx context.Context, scene Scene, o Options) ([]*profile.Profile, error) {
	if err := o.Threads.Check(); err != nil {
		return nil, err
	}
	used := ownCPU()
	f := newFilming(o, scene.Wanted)
	f.path, f.note, f.once = scene.Source.Path, scene.Note, o.Count == 1
	err := f.film(ctx, scene.series(f, o))
	if o.Taken != nil {
		o.Taken()
	}
	if len(f.order) == 1 && !f.once {
		f.order[0].builder.CountCPU(ownCPU() - used)
	}
	return f.profiles(), err
}

// series is how stackshots are taken.
func (s *Scene) series(f *filming, o Options) *stackshot.Series {
	return &stackshot.Series{
		Source: s.Source, Kernel: s.Kernel, PID: s.PID, Keep: s.Keep, Took: f.stood.add,
		Times: task.Options{
			Interval: o.Interval, Duration: o.Duration, Count: o.Count, Jitter: o.Jitter,
			Ended: func(missed int) { f.stood.missed += missed },
		},
	}
}

// film adds one stackshot after another.
func (f *filming) film(ctx context.Context, series *stackshot.Series) error {
	began, taken := time.Now(), 0
	for shot, err := range series.All(ctx) {
		if err != nil {
			return err
		}
		f.stood.missed += shot.Missed
		some, err := f.add(shot)
		if err != nil {
			return err
		}
		if !some && len(f.order) > 0 {
			return nil // all that were wanted have ended
		}
		if taken++; f.options.Progress != nil {
			f.options.Progress(time.Since(began), taken)
		}
	}
	return nil
}

// stands counts for how long the processors stood.
type stands struct {
	count   int
	total   time.Duration
	longest time.Duration
	missed  int // stackshots that were due and not taken
}

func (s *stands) add(shot *stackshot.Shot) {
	d := shot.Stood()
	s.count++
	s.total += d
	s.longest = max(s.longest, d)
}

// note tells it; nothing where the kernel does not.
func (s *stands) note() string {
	total, longest := s.total.Round(time.Microsecond), s.longest.Round(time.Microsecond)
	switch {
	case total == 0:
		return ""
	case s.count == 1:
		return fmt.Sprintf("nothing was suspended: the kernel walked the stacks, and no thread of the system ran meanwhile, for %v at most", total)
	}
	return fmt.Sprintf("nothing was suspended: the kernel walked the stacks, and no thread of the system ran meanwhile, for %v at most in %d stackshots, %v in the longest", total, s.count, longest)
}
