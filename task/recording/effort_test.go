package recording

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"stacksnap/task"
)

// crowded is a recording of so many threads, none of which does anything.
func crowded(t testing.TB, threads, snapshots int) []byte {
	t.Helper()
	s := &Sample{Snapshot: &task.Snapshot{Threads: make([]task.Thread, threads)}}
	for i := range s.Threads {
		s.Threads[i] = task.Thread{ID: task.ThreadID(i + 1), Stacks: []task.Stack{{Base: 0x1000, Bytes: make([]byte, 64)}}}
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, header)
	for range snapshots {
		err = errors.Join(err, w.AddSnapshot(s))
	}
	if err = errors.Join(err, w.Close(End{})); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestManyIdleThreads cost something in the first snapshot alone.
func TestManyIdleThreads(t *testing.T) {
	const threads, snapshots = 1000, 2000
	r := open(t, crowded(t, threads, snapshots))
	first, err := r.Next()
	if err != nil || len(first.Threads) != threads || first.Same || len(first.Changed) != threads {
		t.Fatal(err)
	}
	before := r.effort.steps
	allocated := testing.AllocsPerRun(snapshots-2, func() {
		if s, err := r.Next(); err != nil || !s.Same || len(s.Changed) != 0 || &s.Threads[0] != &first.Threads[0] {
			t.Fatal("another snapshot", err)
		}
	})
	if used := before - r.effort.steps; used > snapshots*(2*stepsRecord+2*stepsBlock+100) {
		t.Errorf("%d steps for %d snapshots", used, snapshots)
	}
	if allocated > 10 {
		t.Errorf("%v allocations a snapshot", allocated)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

// TestChangedThreads are told, and none besides.
func TestChangedThreads(t *testing.T) {
	s := &Sample{Snapshot: &task.Snapshot{Threads: []task.Thread{{ID: 1}, {ID: 2}, {ID: 3}}}}
	var file bytes.Buffer
	w, err := NewWriter(&file, header)
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(){
		func() {},
		func() {},
		func() { s.Threads[1].Registers.R[3] = 7 },
		func() { s.Threads[2].User = 5 },
		func() { s.Threads[0], s.Threads[1] = s.Threads[1], s.Threads[0] },
		func() { w.memory(0x1000, []byte("1")) },
		func() {},
	} {
		if change(); w.AddSnapshot(s) != nil {
			t.Fatal(i)
		}
	}
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	r := open(t, file.Bytes())
	for i, want := range []struct {
		same    bool
		changed []int
		still   []bool
	}{
		{false, []int{0, 1, 2}, []bool{false, false, false}},
		{true, nil, []bool{true, true, true}},
		{true, []int{1}, []bool{true, false, true}},
		{true, []int{2}, []bool{true, true, true}},
		{false, nil, []bool{true, true, true}},
		{false, []int{0, 1, 2}, []bool{false, false, false}},
		{true, nil, []bool{true, true, true}},
	} {
		got, err := r.Next()
		if err != nil || got.Same != want.same || !slices.Equal(got.Changed, want.changed) || !slices.Equal(got.Still, want.still) {
			t.Errorf("snapshot %d: %v %v %v, %v; want %+v", i, got.Same, got.Changed, got.Still, err, want)
		}
	}
}

// TestLeftOut of a recording is what would take too much to read: of each kind of
// things that cost nothing in a file.
func TestLeftOut(t *testing.T) {
	const steps = 1 << 16
	nothing := func(field, n int) []byte { return times(n, field, nil) }
	for name, of := range map[string]struct {
		records []byte
		most    int // bytes that are got through
	}{
		"unknown fields of a block": {nothing(7, 1<<20), 2 * (steps/stepsRecord + 1)},
		"empty records":             {nothing(1, 1<<20), 2 * (steps/stepsRecord + 1)},
		"unknown records":           {times(1<<18, 1, nothing(99, 1)), 5 * (steps/stepsRecord + 1)},
		"one thread again and again": {times(1<<18, 1, appendBytes(nil, 9, appendUint(nil, 1, 7))),
			6 * (steps/(stepsRecord+stepsThread) + 1)},
	} {
		r := laborious(t, of.records, effort{steps, math.MaxInt64})
		_, err := r.Next()
		if !errors.Is(err, ErrTooMuch) || len(of.records)-len(r.block.rest) > of.most {
			t.Errorf("%s: %v after %d bytes, which may be %d", name, err, len(of.records)-len(r.block.rest), of.most)
		}
	}
}

// TestHeld is what would take too much memory.
func TestHeld(t *testing.T) {
	stack := appendBytes(appendUint(nil, 1, 7), 13, appendBytes(appendUint(appendUint(nil, 1, 0x1000), 2, 4096), 4, appendBytes(nil, 2, make([]byte, 4096))))
	for name, records := range map[string][]byte{
		"stacks":  appendBytes(nil, 1, appendBytes(nil, 9, stack)),
		"memory":  appendBytes(nil, 1, appendBytes(nil, 7, appendBytes(appendUint(nil, 1, 0x1000), 2, make([]byte, 4096)))),
		"threads": appendBytes(appendBytes(nil, 1, appendBytes(nil, 9, appendUint(nil, 1, 7))), 1, appendBytes(nil, 9, appendUint(nil, 1, 8))),
	} {
		last := times(1, 1, times(1, 10, nil))
		r := laborious(t, append(records, last...), effort{1 << 20, 4095})
		if _, err := r.Next(); !errors.Is(err, ErrTooMuch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, of := range map[string]struct {
		record []byte
		cost   int64
	}{
		"images":  {times(1, 2, nil), costImage},
		"tasks":   {appendBytes(nil, 17, times(1, 9, nil)), costTask + costTaskFrame},
		"circles": {appendBytes(nil, 18, times(1, 2, nil)), 2 * costTask},
	} {
		r := laborious(t, times(4, 1, of.record), effort{})
		if err := r.rewind(); err != nil {
			t.Fatal(err)
		}
		r.effort.held = 4*of.cost - 1
		if err := r.survey(); err != nil || !errors.Is(r.cut, ErrTooMuch) {
			t.Errorf("%s: %v, %v", name, err, r.cut)
		}
	}
}

// laborious reads records on which no more may be spent, behind a header.
func laborious(t *testing.T, records []byte, most effort) *Reader {
	t.Helper()
	r, err := newReader(bytes.NewReader(stream(append(appendBytes(nil, 1, appendBytes(nil, 1, appendHeader(nil, &header))), records...))), openStream)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.record(); err != nil { // its header
		t.Fatal(err)
	}
	r.effort, r.count = most, 1<<30
	return r
}

// TestEffort grows with the file, and has bounds.
func TestEffort(t *testing.T) {
	if e := effortFor(0); e != (effort{baseSteps, baseHeld}) {
		t.Errorf("for nothing: %+v", e)
	}
	if e := effortFor(1 << 20); e != (effort{baseSteps + stepsPerByte<<20, baseHeld + heldPerByte<<20}) {
		t.Errorf("for a megabyte: %+v", e)
	}
	if e := effortFor(math.MaxInt64); e.steps < math.MaxInt64/4 || e.held != mostHeld {
		t.Errorf("for any file: %+v", e)
	}
	e := effort{steps: 10}
	if !e.spend(10) || e.spend(1) || e.spend(math.MaxInt) || e.spend(0) {
		t.Errorf("steps are left: %+v", e)
	}
}
