package capture

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestFirstStopTells what threads did: after it they are busy with having been
// stopped.
func TestFirstStopTells(t *testing.T) {
	first := task.Thread{ID: 1, State: task.Running, Turn: task.OnCPU, Processor: 3, User: 5}
	again := task.Snapshot{Threads: []task.Thread{{ID: 1, State: task.Running, Turn: task.Queued, User: 7}, {ID: 2, Turn: task.Queued}}}
	keepFacts(&again, &task.Snapshot{Threads: []task.Thread{first}})
	if got := &again.Threads[0]; got.Turn != task.OnCPU || got.Processor != 3 || got.User != 5 || again.Threads[1].Turn != task.Queued {
		t.Errorf("%+v", again.Threads)
	}
}

// TestInnermostOfGeneratedCode is the same all over a region, so that a hang there
// is not one phase after another.
func TestInnermostOfGeneratedCode(t *testing.T) {
	s := Series{session: &session{follow: &follower{images: images.NewMap(nil)}}}
	for pc, want := range map[task.Addr]string{
		0x7f0000001000: "code of no file, near 0x7f0000001000",
		0x7f0000001fff: "code of no file, near 0x7f0000001000",
		0x7f0000002000: "code of no file, near 0x7f0000002000",
	} {
		if got := s.Innermost(&profile.Stack{Frames: []unwind.Frame{{PC: pc}}}); got != want {
			t.Errorf("%v: %q, want %q", pc, got, want)
		}
	}
	if got := s.Innermost(&profile.Stack{}); got != "" {
		t.Errorf("of no stack: %q", got)
	}
}
