package task

import (
	"slices"
	"testing"
	"time"
)

// divisible is a process that can be stopped in parts, and notes their sizes.
type divisible struct {
	*fakeProcess
	sizes []int
}

func (p *divisible) Capabilities() Capabilities { return Capabilities{Partial: true} }

func (p *divisible) Suspend(o StopOptions) (func() error, error) {
	p.sizes = append(p.sizes, len(o.Part))
	p.during = o.Part
	return p.fakeProcess.Suspend(o)
}

func manyThreadsOf(n int) *fakeProcess {
	p := &fakeProcess{stackSize: 100}
	for i := range n {
		p.before = append(p.before, ThreadID(i+1))
	}
	return p
}

// TestDivideKeepsStopsShort: what one stop has time for is not divided; more is, into
// parts that grow smaller where one took too long.
func TestDivideKeepsStopsShort(t *testing.T) {
	const most = 50 * time.Millisecond
	whole := int(most / stopOfOne)
	for n, want := range map[int]bool{1: false, whole: false, whole + 1: true} {
		p := manyThreadsOf(n)
		if parts := Divide(&divisible{fakeProcess: p}, p.before, most); (parts != nil) != want {
			t.Errorf("%d threads: divided %v, want %v", n, parts != nil, want)
		}
		if Divide(p, p.before, most) != nil {
			t.Error("a process that cannot be divided was")
		}
	}
	p := manyThreadsOf(10 * whole)
	parts := Divide(&divisible{fakeProcess: p}, p.before, most)
	first := len(parts.Next())
	parts.Took(first, most)
	second := len(parts.Next())
	parts.Took(second, most/100)
	third := len(parts.Next())
	if time.Duration(first)*stopOfOne > most/2 || second != first/2 || third != first {
		t.Errorf("parts of %d, %d, %d", first, second, third)
	}
	all := 1
	for part := parts.Next(); part != nil; part = parts.Next() {
		parts.Took(len(part), time.Hour)
		all = len(part)
	}
	if all > leastPart {
		t.Errorf("the last part has %d, though none was short enough", all)
	}
}

// TestPartsMakeAWhole: parts that are appended have what was captured of each, and are
// told apart from a snapshot of one moment.
func TestPartsMakeAWhole(t *testing.T) {
	p := &divisible{fakeProcess: manyThreadsOf(5000)}
	parts := Divide(p, p.before, DefaultMaxStop)
	var whole, part Snapshot
	for ids := parts.Next(); ids != nil; ids = parts.Next() {
		part.Part = ids
		if err := Take(p, &part); err != nil {
			t.Fatal(err)
		}
		whole.Append(&part)
		clear(part.arena) // it is of the next part
	}
	if !slices.Equal(ids(&whole), p.before) || whole.Stops != len(p.sizes) || !whole.Parted {
		t.Errorf("%d threads by %d stops, parted %v", len(whole.Threads), whole.Stops, whole.Parted)
	}
	if slices.Max(p.sizes) > len(p.before)/2 {
		t.Errorf("parts of %v", p.sizes)
	}
	for i := range whole.Threads {
		if st := whole.Threads[i].Stacks[0]; len(st.Bytes) != 100 || st.Bytes[99] != byte(whole.Threads[i].ID) {
			t.Fatalf("thread %d has another's stack", whole.Threads[i].ID)
		}
	}
	if room := len(part.arena); room > 4*partArena {
		t.Errorf("room for %d bytes", room)
	}
}

// TestManyThreadsAreCopiedShort: of very many threads a short piece of each is copied
// at first, of few as much as is usual; and more of one that needs it.
func TestManyThreadsAreCopiedShort(t *testing.T) {
	var s Snapshot
	for n, want := range map[int]int{10: 0, manyThreads: 0, manyThreads + 1: shortPieces / (manyThreads + 1), 30_000: leastPiece, 1 << 20: leastPiece} {
		if got := shortPiece(n); got != want {
			t.Errorf("%d threads: %d bytes, want %d", n, got, want)
		}
	}
	s.Limit = FirstStackLimit
	if s.limitOf(1) != FirstStackLimit || s.Lengthen(1) {
		t.Error("a copy that was not short was lengthened")
	}
	s.short = leastPiece
	if s.limitOf(1) != leastPiece || !s.Lengthen(1) || s.limitOf(1) != FirstStackLimit || s.limitOf(2) != leastPiece || s.Lengthen(1) {
		t.Errorf("limits %d and %d", s.limitOf(1), s.limitOf(2))
	}
}
