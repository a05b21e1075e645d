package unwind

import (
	"testing"

	"stacksnap/task"
)

// TestArchs: each architecture that task knows has a row here.
func TestArchs(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if k := archOf(a); k == archs[task.UnknownArch] || k.trampolines == nil || k.ends == nil {
			t.Errorf("nothing is known of the code of %v: %+v", a, k)
		}
	}
	for _, a := range []task.Arch{task.UnknownArch, task.NumArchs} {
		if k := archOf(a); k.trampolines != nil || k.followsCall != nil || k.ends != nil {
			t.Errorf("architecture %d, which has no row, is taken for another", a)
		}
	}
}
