package capture

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestExitIsNoted: a report says that the target exited before all of it was read, and says it of no
// other failure.
func TestExitIsNoted(t *testing.T) {
	exited := fmt.Errorf("read the unwind table: %w", &task.ExitedError{PID: 7})
	frames := func(err error) []unwind.Frame { return []unwind.Frame{{PC: 1}, {PC: 2, Err: err}} }
	for _, c := range []struct {
		name  string
		stack profile.Stack
		noted bool
	}{
		{"whole", profile.Stack{Frames: frames(nil)}, false},
		{"a frame by the frame pointer", profile.Stack{Frames: frames(exited)}, true},
		{"the stack is cut", profile.Stack{Stop: unwind.Stop{Err: exited}}, true},
		{"a page that is not there", profile.Stack{Frames: frames(errors.New("no memory")), Stop: unwind.Stop{Err: &task.FaultError{}}}, false},
	} {
		stacks := []profile.Stack{{Frames: frames(nil)}, c.stack}
		if line := exitedLine(stacks); strings.HasPrefix(line, "the target exited while it was captured") != c.noted {
			t.Errorf("%s: %q", c.name, line)
		}
	}
}
