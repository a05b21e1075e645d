package notation

import (
	"testing"

	"stacksnap/task"
)

// TestArchs: each architecture that task knows has a name here.
func TestArchs(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if CodeTypes[a] == "" {
			t.Errorf("%v has no name", a)
		}
	}
}
