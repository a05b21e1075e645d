package capture

import (
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// KernelThreads makes a profile of threads that are in the kernel alone.
func KernelThreads(info task.Info, threads []task.Thread, lacks string, o Options) (*profile.Profile, error) {
	b := profile.NewBuilder(info, o.Tool)
	wanted, err := o.Threads.FilterBy(task.ThreadID(info.PID))
	if err != nil {
		return nil, err
	}
	s := task.Snapshot{Time: time.Now()}
	for i := range threads {
		if wanted == nil || wanted(&threads[i]) {
			s.Threads = append(s.Threads, threads[i])
		}
	}
	if lacks != "" {
		b.Note(lacks)
	}
	b.AddEach(&s, nil, func(i int) profile.Stack {
		return profile.Stack{Stop: unwind.Stop{Err: s.Threads[i].Err}}
	})
	return b.Profile(), nil
}
