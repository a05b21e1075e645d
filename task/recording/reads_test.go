package recording

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"stacksnap/task"
)

// changing is memory that is there, from 0x1000 on, or not.
type changing struct{ text string }

func (m *changing) ReadMemory(p []byte, a task.Addr) (int, error) {
	const base = 0x1000
	if a < base || a >= base+task.Addr(len(m.text)) {
		return 0, &task.FaultError{Addr: a, Err: errors.New("bad address")}
	}
	n := copy(p, m.text[a-base:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n), Err: errors.New("bad address")}
	}
	return n, nil
}

// TestMemoryThatChanges: at each snapshot the recording's memory answers as the
// target's did last before it, be that otherwise than before, or not at all.
func TestMemoryThatChanges(t *testing.T) {
	steps := [][]string{ // of each snapshot: what was there at each reading
		{"first"}, {""}, {""}, {"again"}, {"other"}, {"other", ""}, {"", "third"}, {"ab"}, {"abcde"}, {""},
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, header)
	if err != nil {
		t.Fatal(err)
	}
	m := &changing{}
	reads := NewReads(m)
	var want []string
	for _, step := range steps {
		for _, m.text = range step {
			want = append(want[:len(want):len(want)], readFive(reads))
		}
		want = append(want[:len(want)-len(step)], want[len(want)-1])
		w.AddReads(reads)
		if err := w.AddSnapshot(&Sample{Snapshot: &task.Snapshot{}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	r := open(t, file.Bytes())
	for i := range want {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if got := readFive(r.Memory()); got != want[i] {
			t.Errorf("snapshot %d: %s, want %s", i, got, want[i])
		}
	}
}

func readFive(m task.Memory) string {
	var p [5]byte
	n, err := m.ReadMemory(p[:], 0x1000)
	return fmt.Sprintf("%q, %v", p[:n], err)
}
