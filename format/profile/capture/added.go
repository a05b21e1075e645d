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
	builder  *profile.Builder
	made     func() *profile.Profile
}

// Path is the stack of a thread, as [profile.Builder.Path] has it.
func (a *Added) Path(id task.ThreadID) ([]*profile.Node, unwind.Reason) {
	return a.builder.Path(id)
}

// Profile is what was sampled so far, to be read before the call ends.
func (a *Added) Profile() *profile.Profile { return a.made() }
