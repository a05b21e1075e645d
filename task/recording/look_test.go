package recording

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
)

var (
	someWait  = Wait{Call: "read", Object: "fd 3 pipe:[7]"}
	otherWait = Wait{Call: "futex", Lock: 1, Addr: 0x5000, Owner: 2, OwnerName: "other"}
)

func twoThreads() *task.Snapshot {
	return &task.Snapshot{Threads: []task.Thread{{ID: 1}, {ID: 2}}}
}

func withOwner(looks []Look) []Look {
	return append(looks[:len(looks):len(looks)], Look{77, &otherWait})
}

// TestLooks: a look that finds the same as the one before takes no more room for
// it, whatever was between. Thread 77 owns a lock, and is in no snapshot.
func TestLooks(t *testing.T) {
	looks := [][]Look{
		{{1, &someWait}, {2, nil}}, nil, {{1, &someWait}, {2, &otherWait}}, {{1, nil}}, {{1, &someWait}, {2, &otherWait}},
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range looks {
		if err := w.AddSnapshot(&Sample{Snapshot: twoThreads(), Looks: withOwner(l), Whole: len(l) == 2}); err != nil {
			t.Fatal(err)
		}
	}
	end := End{Looks: []Look{{1, &otherWait}, {2, nil}}}
	if err := w.Close(end); err != nil {
		t.Fatal(err)
	}
	r := open(t, file.Bytes())
	for i, want := range looks {
		s, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withOwner(want), s.Looks); diff != "" || s.Whole != (len(want) == 2) {
			t.Errorf("snapshot %d: whole %v, %s", i, s.Whole, diff)
		}
	}
	if diff := cmp.Diff(end, r.End()); diff != "" {
		t.Error(diff)
	}
}

// TestWaitsOfOldRecordings: what was told of a thread with the thread is a look
// at all of them.
func TestWaitsOfOldRecordings(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file, header)
	if err != nil {
		t.Fatal(err)
	}
	at := w.begin(9)
	w.block = appendUint(w.block, 1, 1)
	var wait int
	w.block, wait = begin(w.block, 16)
	w.block = end(appendWait(w.block, &someWait), wait)
	w.end(at)
	s := Sample{Snapshot: twoThreads()}
	w.threads[1] = &thread{Thread: task.Thread{ID: 1}}
	if err := w.AddSnapshot(&s); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, file.Bytes()).Next()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Look{{1, &someWait}, {2, nil}}, got.Looks); diff != "" || !got.Whole {
		t.Errorf("whole %v, %s", got.Whole, diff)
	}
}
