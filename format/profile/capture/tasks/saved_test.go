package tasks

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

// TestSaved: a recording keeps all that a profile has of tasks.
func TestSaved(t *testing.T) {
	want := Tasks{
		All: []profile.FoundTask{
			{
				Task:    profile.Task{Runtime: "Go 1.26.1", ID: 7, Name: "name", Wait: "chan receive", Since: 5, System: true, Count: 3, Objects: 1, On: &profile.TaskObject{Kind: "chan", Addr: 0x5000, Len: 1, Cap: 2, Receivers: 3, Senders: 4, Waiters: 7}},
				Frames:  []unwind.Frame{{PC: 0x1000, Err: errors.New("why")}, {PC: 0x2000, Return: true, By: unwind.ByCFI}},
				Stop:    unwind.Stop{Reason: unwind.NotCaptured, Need: 0x3000, Err: errors.New("detail")},
				Creator: 0x4000,
			},
			{Task: profile.Task{Count: 1}, Frames: []unwind.Frame{{Managed: &task.ManagedFrame{Function: "fetch"}}}},
		},
		Circles: []profile.TaskDeadlock{{Runtime: "CPython 3.12.1", Tasks: []profile.TaskInDeadlock{{ID: 1, Name: "a", Function: "b"}}}},
	}
	var end recording.End
	if left := want.Save(&end); left != 0 {
		t.Errorf("%d tasks are left out", left)
	}
	got := Saved(&end)
	sameError := cmp.Comparer(func(a, b error) bool { return text(a) == text(b) })
	if d := cmp.Diff(want, got, sameError); d != "" {
		t.Error(d)
	}
	if n := got.Frames(); n != 3 {
		t.Errorf("%d frames", n)
	}
}

// TestSaveIsBounded: what a recording leaves out is counted.
func TestSaveIsBounded(t *testing.T) {
	deep := profile.FoundTask{Task: profile.Task{Count: 5}, Frames: make([]unwind.Frame, maxSavedFrames)}
	small := profile.FoundTask{Task: profile.Task{Count: 1}}
	all := Tasks{All: []profile.FoundTask{small, deep, small}}
	var end recording.End
	if left := all.Save(&end); left != 5 || len(end.Tasks) != 2 {
		t.Errorf("%d tasks are left out, %d kept", left, len(end.Tasks))
	}
}
