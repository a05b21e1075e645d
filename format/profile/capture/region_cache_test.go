package capture

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"stacksnap/task"
)

// located is a process whose map is asked about place by place.
type located struct {
	task.Process
	task.LoaderReader
	regions []task.Region
	asked   int
	ended   bool
}

func (l *located) RegionAt(a task.Addr) (task.Region, bool, error) {
	l.asked++
	if l.ended {
		return task.Region{}, false, errors.New("it has ended")
	}
	i := sort.Search(len(l.regions), func(i int) bool { return l.regions[i].End > a })
	if i == len(l.regions) {
		return task.Region{}, false, nil
	}
	return l.regions[i], true, nil
}

func (l *located) PathAt(task.Addr) string         { return "" }
func (l *located) Capabilities() task.Capabilities { return task.Capabilities{Loader: l} }

func (l *located) isCode(a task.Addr) bool {
	return slices.ContainsFunc(l.regions, func(r task.Region) bool {
		return r.Start <= a && a < r.End && r.Prot&task.Execute != 0
	})
}

func someMap(rng *rand.Rand) *located {
	l := &located{}
	for a := task.Addr(0); a < 1<<20; {
		r := task.Region{Start: a + task.Addr(rng.IntN(3))<<12, Prot: task.Prot(rng.IntN(8))}
		r.End = r.Start + task.Addr(1+rng.IntN(4))<<12
		l.regions = append(l.regions, r)
		a = r.End
	}
	return l
}

// TestAskedMemoryMap: a memory map that is asked says what a listing would,
// a region costs one question and a gap few, and a renewed memory map asks again
// about what was no code.
func TestAskedMemoryMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := someMap(rng)
	l := readMemoryMap(p)
	if l.stamp == 0 || p.asked != 1 {
		t.Fatalf("%+v after %d questions", l, p.asked)
	}
	for range 20_000 {
		a := task.Addr(rng.IntN(1<<20 + 1<<16))
		if l.executable(a) != p.isCode(a) {
			t.Fatalf("%v: %v", a, l.executable(a))
		}
	}
	if most := 10 * len(p.regions); p.asked > most {
		t.Errorf("%d questions about %d regions", p.asked, len(p.regions))
	}
	for i, s := range l.cache.spans {
		if i > 0 && s.start < l.cache.spans[i-1].end {
			t.Errorf("span %d overlaps the one before", i)
		}
	}
	again := l.renew(p)
	if again.stamp != l.stamp || again.known() != l.known() || len(again.cache.code()) != len(l.cache.code()) {
		t.Errorf("%d regions of %d stay", again.known(), l.known())
	}
	for i := range p.regions {
		p.regions[i].Prot |= task.Execute
	}
	for _, r := range p.regions {
		if !again.executable(r.Start) {
			t.Errorf("%v is code by now", r.Start)
		}
	}
	n := 0
	for r := range again.all() {
		if n++; r.Prot&task.Execute == 0 || !p.isCode(r.Start) {
			t.Errorf("%+v", r)
		}
	}
	if n != again.known() || n < len(p.regions) {
		t.Errorf("%d regions, %d known, %d there", n, again.known(), len(p.regions))
	}
	p.ended = true
	if l := readMemoryMap(p); l.stamp != 0 || l.executable(0) {
		t.Error("a process that has ended has a memory map")
	}
}

// TestWhatIsRememberedOfAMapIsBounded, and stays in order.
func TestWhatIsRememberedOfAMapIsBounded(t *testing.T) {
	p := &located{}
	for a := range task.Addr(3 * maxSpans) {
		p.regions = append(p.regions, task.Region{Start: a << 13, End: a<<13 + 1<<12, Prot: task.Execute})
	}
	l := readMemoryMap(p)
	for a := range task.Addr(3 * maxSpans) {
		if !l.executable(a<<13) || l.executable(a<<13+1<<12) {
			t.Fatal(a)
		}
	}
	if n := len(l.cache.spans); n > maxSpans {
		t.Errorf("%d spans", n)
	}
	for range 2 {
		if l.executable(^task.Addr(0)) {
			t.Error("the last address is code")
		}
	}
}
