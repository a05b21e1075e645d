package capture

import (
	"errors"
	"fmt"
	"testing"

	"stacksnap/unwind"
	"stacksnap/unwind/rule"
)

// TestWholeWithoutTheOtherRegisters: a thread that was read where it waits has to
// be stopped only where one of its frames lacked a register, or was guessed.
func TestWholeWithoutTheOtherRegisters(t *testing.T) {
	noTables := unwind.Frame{By: unwind.ByFramePointer, Err: rule.ErrNone}
	bottom := unwind.Stop{Reason: unwind.Bottom}
	for name, c := range map[string]struct {
		frame unwind.Frame
		stop  unwind.Stop
		want  bool
	}{
		"by tables":                         {unwind.Frame{By: unwind.ByCFI}, bottom, true},
		"a compiler's code":                 {noTables, bottom, true},
		"tables that led nowhere":           {unwind.Frame{By: unwind.ByFramePointer, Err: errors.New("not a call")}, bottom, true},
		"a register was lacking":            {unwind.Frame{By: unwind.ByFramePointer, Err: rule.ErrUnknownRegister}, bottom, false},
		"a register was lacking, and where": {unwind.Frame{By: unwind.ByFramePointer, Err: fmt.Errorf("at: %w", rule.ErrUnknownRegister)}, bottom, false},
		"guessed":                           {unwind.Frame{By: unwind.ByScan, Err: rule.ErrNone}, bottom, false},
		"cut":                               {noTables, unwind.Stop{Reason: unwind.NoCaller}, false},
	} {
		if got := isWhole([]unwind.Frame{{}, c.frame}, c.stop); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
