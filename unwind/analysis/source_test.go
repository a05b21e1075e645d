package analysis

import (
	"errors"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// TestArchs: each architecture that task knows is analysed, and no other.
func TestArchs(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if machineOf(a) == nil {
			t.Errorf("%v is not analysed", a)
		}
	}
	for _, a := range []task.Arch{task.UnknownArch, task.NumArchs} {
		if _, err := new(Source).Rule(rule.Query{Arch: a}); !errors.Is(err, rule.ErrNone) {
			t.Errorf("architecture %d, which has no row: %v", a, err)
		}
	}
}
