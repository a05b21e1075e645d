package capture

import (
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Added is the last snapshot of a sampling that goes on. All of it is valid during the
// call alone that it is given to; the target runs meanwhile.
type Added struct {
	Snapshot *task.Snapshot
	Looks    []profile.Look // at what threads wait for: at some of them now and then
	// Path is the stack of a thread, as [profile.Builder.Path] has it.
	Path func(task.ThreadID) ([]*profile.Node, unwind.Reason)
	// Profile is what was sampled so far.
	Profile func() *profile.Profile
}
