package code

import (
	"testing"

	"stacksnap/task"
)

// TestArchs: each architecture that task knows has a row here, were it an empty one.
func TestArchs(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if instructionsOf(a) == archs[task.UnknownArch] {
			t.Errorf("%v has no row", a)
		}
	}
	if k := instructionsOf(task.NumArchs); k.callTarget != nil || k.decode != nil {
		t.Error("an architecture without a row is taken for another")
	}
}
