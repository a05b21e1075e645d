package capture

import (
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// countSure returns how many frames of a stack are sure: none where that is not
// known of each.
func (f *follower) countSure(t *task.Thread, s *profile.Stack) int {
	if !f.followsList() {
		return 0
	}
	n, _ := f.sure(t, s.Frames, s.Stop)
	return n
}

// cutUnsure leaves out the frames of a stack that are not sure, as [task.Thread]
// tells.
func cutUnsure(t *task.Thread, s *profile.Stack) {
	if t.Sure == 0 || s.Repeat {
		return
	}
	s.Frames = s.Frames[:min(t.Sure, len(s.Frames))]
	s.Stop = unwind.Stop{Reason: unwind.Unsteady}
}
