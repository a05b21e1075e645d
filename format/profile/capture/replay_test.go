package capture

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/managed"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// TestReplayOfTooMuch shows what there was before, and says once what is left out.
func TestReplayOfTooMuch(t *testing.T) {
	var file bytes.Buffer
	w, err := recording.NewWriter(&file, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s := &recording.Sample{Snapshot: &task.Snapshot{Threads: make([]task.Thread, 3)}}
	for i := range s.Threads {
		s.Threads[i].ID = task.ThreadID(i + 1)
		s.Threads[i].Registers.Arch = task.AMD64
		s.Threads[i].Registers.Set(task.AMD64.PC(), 0x1000)
		s.Threads[i].Registers.Set(task.AMD64.SP(), 0x2000)
	}
	for range 5 {
		s.Threads[0].Registers.R[0]++ // it is walked each time
		if err := w.AddSnapshot(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recording.End{}); err != nil {
		t.Fatal(err)
	}
	r, err := recording.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	p := newReplay(r, nil)
	for range 2 {
		next, err := p.process.Next()
		if err != nil {
			t.Fatal(err)
		}
		p.add(next, nil)
	}
	third, err := p.process.Next()
	if err != nil || !third.Same {
		t.Fatal(err)
	}
	r.Spend(1 << 62)
	p.add(third, nil)
	prof, err := p.run(profile.ThreadFilter{})
	if !errors.Is(err, recording.ErrTooMuch) || prof == nil || prof.Snapshots != 3 || prof.Walks != 9 {
		t.Fatalf("%+v, %v", prof, err)
	}
	if len(prof.Notes) != 1 || !strings.HasPrefix(prof.Notes[0], "only the first 3 snapshots") {
		t.Errorf("notes %q", prof.Notes)
	}
	if first, second := prof.Threads[0], prof.Threads[1]; first.Empty != 1 || second.Empty != 0 || second.Samples != 3 {
		t.Errorf("threads %+v and %+v", first, second)
	}
}

// TestReplayOfTasks: numbers that no capture writes do no harm, and a recording on which all was
// spent has no tasks.
func TestReplayOfTasks(t *testing.T) {
	var file bytes.Buffer
	w, err := recording.NewWriter(&file, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddSnapshot(&recording.Sample{Snapshot: &task.Snapshot{}}); err != nil {
		t.Fatal(err)
	}
	strange := recording.Task{
		Count: 1 << 31, Stop: 255, Need: ^task.Addr(0), Creator: ^task.Addr(0),
		Frames: []recording.TaskFrame{{}, {PC: ^task.Addr(0), Return: true, By: 255}, {Managed: &task.ManagedFrame{}}},
	}
	if err := w.Close(recording.End{Tasks: []recording.Task{strange}, TaskCircles: []recording.TaskCircle{{}}}); err != nil {
		t.Fatal(err)
	}
	for _, spent := range []bool{false, true} {
		r, err := recording.NewReader(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		p := newReplay(r, nil)
		p.managed = &managed.Saved{}
		next, err := p.process.Next()
		if err != nil {
			t.Fatal(err)
		}
		p.add(next, nil)
		if spent {
			r.Spend(1 << 62)
		}
		prof, err := p.run(profile.ThreadFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if spent {
			if len(prof.Tasks) != 0 || len(prof.Notes) != 1 || !strings.HasPrefix(prof.Notes[0], "the tasks that no thread ran are left out") {
				t.Errorf("%d tasks, notes %q", len(prof.Tasks), prof.Notes)
			}
			continue
		}
		if len(prof.Tasks) != 1 || len(prof.TaskDeadlocks) != 0 || len(prof.Tasks[0].Path) != 3 || prof.Tasks[0].Path[0].Cut.String() == "" {
			t.Errorf("%+v", prof.Tasks)
		}
	}
}
