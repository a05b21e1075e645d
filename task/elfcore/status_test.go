package elfcore

import (
	"testing"

	"stacksnap/task"
)

// TestStatusOfEveryArch: the order of its registers is known, with those that a walk
// begins with.
func TestStatusOfEveryArch(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		th, ok := parseStatus(a, a.PointerSize(), make([]byte, 1024))
		for _, reg := range []task.Reg{a.PC(), a.SP(), a.FP()} {
			if _, known := th.regs.Value(reg); !ok || !known {
				t.Errorf("%v: register %d is not read (%v)", a, reg, ok)
			}
		}
	}
}

// TestStatusWithoutOrder: registers of an architecture without a row are not read in the
// order of another.
func TestStatusWithoutOrder(t *testing.T) {
	for _, a := range []task.Arch{task.UnknownArch, task.NumArchs} {
		if th, ok := parseStatus(a, 8, make([]byte, 1024)); ok {
			t.Errorf("architecture %d: %+v", a, th)
		}
	}
}
