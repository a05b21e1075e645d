package recording

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
)

// TestTasksNeedAnEnd: some of a recording's tasks are as good as none.
func TestTasksNeedAnEnd(t *testing.T) {
	file, ends := write(t, samples(7, 2))
	for cut := ends[1]; cut < len(file); cut++ {
		r := open(t, file[:cut])
		if got := len(r.End().Tasks); r.Cut() != nil && got != 0 {
			t.Fatalf("cut at %d of %d bytes: %d tasks", cut, len(file), got)
		}
	}
}

// TestTasksOfAnyLength are cut when they are written, and refused when they are read.
func TestTasksOfAnyLength(t *testing.T) {
	long := strings.Repeat("x", maxManagedText+1)
	managed := &task.ManagedFrame{Runtime: long, Function: long, File: long}
	e := End{
		Tasks: []Task{
			{Runtime: long, Name: long, Wait: long, Detail: long, Frames: []TaskFrame{{Why: long, Managed: managed}}},
			{Frames: make([]TaskFrame, maxTaskFrames+1)},
		},
		TaskCircles: []TaskCircle{{long, append(make([]TaskInCircle, maxCircle), TaskInCircle{})}, {Tasks: []TaskInCircle{{1, long, long}}}},
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, header)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(e); err != nil {
		t.Fatal(err)
	}
	got := open(t, b.Bytes())
	end := got.End()
	if got.Cut() != nil || len(end.Tasks) != 2 || len(end.TaskCircles) != 2 {
		t.Fatalf("cut: %v, %d tasks, %d circles", got.Cut(), len(end.Tasks), len(end.TaskCircles))
	}
	text := long[:maxManagedText]
	if one := end.Tasks[0]; one.Name != text || one.Frames[0].Managed.File != text || one.Count != 1 {
		t.Errorf("%d bytes of a name, %d of a file, count %d", len(one.Name), len(one.Frames[0].Managed.File), one.Count)
	}
	if n, m := len(end.Tasks[1].Frames), len(end.TaskCircles[0].Tasks); n != maxTaskFrames || m != maxCircle {
		t.Errorf("%d frames, %d tasks in a circle", n, m)
	}
	for name, record := range map[string][]byte{
		"name":   appendBytes(nil, 17, appendBytes(nil, 3, long)),
		"frames": appendBytes(nil, 17, times(maxTaskFrames+1, 9, nil)),
		"circle": appendBytes(nil, 18, times(maxCircle+1, 2, nil)),
		"file":   appendBytes(nil, 17, appendBytes(nil, 9, appendBytes(nil, 5, appendBytes(nil, 3, long)))),
	} {
		var kinds tasks
		m := newMessage(record)
		m.next()
		if _, err := kinds.learn(m.field, m.data); !errors.Is(err, errTooBig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
