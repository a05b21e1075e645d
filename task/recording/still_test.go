package recording

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

// stillness reads what one thread is told to be in each of some snapshots.
func stillness(t *testing.T, tell func(*Writer, int, *task.Thread), snapshots int) (still []bool) {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, header)
	if err != nil {
		t.Fatal(err)
	}
	th := task.Thread{ID: 7, Stacks: []task.Stack{{Base: 0x1000, Bytes: make([]byte, 64)}}}
	for i := range snapshots {
		tell(w, i, &th)
		s := &Sample{Snapshot: &task.Snapshot{Threads: []task.Thread{th}}}
		if th.ID == 0 {
			s.Threads = nil
		}
		if err := w.AddSnapshot(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	for s, err := range all(open(t, file.Bytes())) {
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		still = append(still, len(s.Still) == 1 && s.Still[0])
	}
	return still
}

// TestStill is told of a thread as long as nothing that its stack is walked from
// becomes known: its CPU time is no such thing.
func TestStill(t *testing.T) {
	for name, change := range map[string]func(*Writer, *task.Thread){
		"registers": func(_ *Writer, t *task.Thread) { t.Registers.R[3]++ },
		"known":     func(_ *Writer, t *task.Thread) { t.Registers.Known = 1 },
		"arch":      func(_ *Writer, t *task.Thread) { t.Registers.Arch = task.AMD64 },
		"bytes": func(_ *Writer, t *task.Thread) {
			t.Stacks = []task.Stack{{Base: 0x1000, Bytes: append(make([]byte, 63), 1)}}
		},
		"no stack":  func(_ *Writer, t *task.Thread) { t.Stacks = nil },
		"error":     func(_ *Writer, t *task.Thread) { t.Err = task.ErrThreadGone },
		"unstopped": func(_ *Writer, t *task.Thread) { t.Unstopped = true },
		"sure":      func(_ *Writer, t *task.Thread) { t.Sure = 2 },
		"kernel":    func(_ *Writer, t *task.Thread) { t.Kernel = []task.KernelFrame{{Name: "schedule"}} },
		"managed":   func(_ *Writer, t *task.Thread) { t.Managed = []task.ManagedFrame{{Function: "main"}} },
		"gone":      func(_ *Writer, t *task.Thread) { t.ID = 0 },
		"memory":    func(w *Writer, _ *task.Thread) { w.memory(0x2000, []byte{1}) },
		"fault":     func(w *Writer, _ *task.Thread) { w.fault(0x2000, "no") },
		"map":       func(w *Writer, _ *task.Thread) { w.SetMap(&Map{}) },
	} {
		got := stillness(t, func(w *Writer, i int, t *task.Thread) {
			t.User++
			switch i {
			case 2:
				change(w, t)
			case 4:
				t.ID = 7
			}
		}, 6)
		want := []bool{false, true, false, name != "gone", name != "gone", true}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}
