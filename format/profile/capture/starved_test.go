package capture

import (
	"errors"
	"testing"

	"stacksnap/task"
)

// starvedProcess has a runnable thread that stops at a later stop than the first.
type starvedProcess struct {
	listed
	stops, gets int
	state       task.State
}

var errNoCPU = errors.New("did not stop in time")

func (p *starvedProcess) Describe(_ task.ThreadID, t *task.Thread) error {
	t.State = p.state
	return nil
}

func (p *starvedProcess) Suspend(task.StopOptions) (func() error, error) {
	p.stops++
	return func() error { return nil }, nil
}

func (p *starvedProcess) Capture(_ task.ThreadID, t *task.Thread) error {
	if p.stops < p.gets {
		return errNoCPU
	}
	t.Registers.Known = 1
	return nil
}

// TestStarvedThreadIsStoppedAgain: a process is stopped again, a few times, if none of its threads got a CPU
// to stop on; one whose threads have stopped, or sleep, is not.
func TestStarvedThreadIsStoppedAgain(t *testing.T) {
	for _, tt := range []struct {
		name        string
		state       task.State
		alone       bool
		how         task.Suspension
		gets, stops int
	}{
		{"it stops at once", task.Running, true, task.SuspendTask, 1, 1},
		{"it gets a CPU in the third stop", task.Running, true, task.SuspendTask, 3, 3},
		{"it gets none", task.Running, true, task.SuspendTask, 99, maxStops},
		{"one of several processes", task.Running, false, task.SuspendTask, 3, 1},
		{"a sleeping thread", task.Uninterruptible, true, task.SuspendTask, 3, 1},
		{"nothing is stopped", task.Running, true, task.SuspendNone, 3, 1},
	} {
		p := &starvedProcess{gets: tt.gets, state: tt.state, listed: listed{
			info: task.Info{OS: task.Linux, PID: 7, Arch: task.AMD64}, ids: []task.ThreadID{7}}}
		s := newShot(p, Options{Suspend: tt.how})
		s.alone = tt.alone
		captureAll([]*shot{s})
		if s.err != nil || p.stops != tt.stops {
			t.Errorf("%s: %d stops, %v; want %d", tt.name, p.stops, s.err, tt.stops)
		}
		s.close()
	}
}
