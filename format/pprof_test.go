package format

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"stacksnap/format/profile"
)

// parsed reads a report as pprof's own package does, which checks it.
func parsed(t *testing.T, p *profile.Profile) *pprof.Profile {
	t.Helper()
	return parsedBytes(t, written(t, Pprof, p))
}

func parsedBytes(t *testing.T, report []byte) *pprof.Profile {
	t.Helper()
	got, err := pprof.Parse(bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	if err := got.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return got
}

// counts are samples by function: in how many it was the innermost, and on the
// stack.
type counts map[string][2]int64

func (c counts) add(self string, functions map[string]bool, n int64) {
	for f := range functions {
		both := c[f]
		both[1] += n
		if f == self {
			both[0] += n
		}
		c[f] = both
	}
}

// ownCounts are those of the profile itself.
func ownCounts(p *profile.Profile) counts { return countsBy(p, areaLabel) }

func countsBy(p *profile.Profile, name func(*profile.Node) string) counts {
	c := counts{}
	for _, t := range p.Threads {
		c.add(noStack, map[string]bool{noStack: true}, int64(t.Empty*t.Weight()))
		var path []string
		var cut string
		for depth, n := range t.Nodes() {
			if depth == 0 {
				cut = ""
			}
			if n.Cut != nil {
				cut = cutLabel(n.Cut)
			}
			path = append(path[:depth], name(n))
			on := map[string]bool{}
			for _, f := range path {
				on[f] = true
			}
			if cut != "" {
				on[cut] = true
			}
			c.add(name(n), on, int64(n.Self*t.Weight()))
		}
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}

// readCounts are those of a report.
func readCounts(p *pprof.Profile) counts {
	c := counts{}
	for _, s := range p.Sample {
		on := map[string]bool{}
		for _, l := range s.Location {
			for _, line := range l.Line {
				on[line.Function.Name] = true
			}
		}
		c.add(s.Location[0].Line[0].Function.Name, on, s.Value[0])
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}

// TestPprofCounts: what pprof's package reads is what the profile has.
func TestPprofCounts(t *testing.T) {
	for kind, make := range profiles {
		for how, p := range map[string]*profile.Profile{"": make(), " without inlined": make().WithoutInlined(), " folded": make().FoldThreads()} {
			if diff := gocmp.Diff(ownCounts(p), readCounts(parsed(t, p))); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", kind, how, diff)
			}
		}
	}
}

// TestPprofTimes: all that was counted of a thread is there, and nothing else.
func TestPprofTimes(t *testing.T) {
	p := sampled()
	p.Threads[0].Roots[0].Children[0].Children[0].Spent = profile.Spent{OnCPU: 100 * time.Millisecond, Queued: 4 * time.Millisecond}
	got := parsed(t, p)
	if types := typesOf(got); types != "samples/count wall/nanoseconds cpu/nanoseconds" || got.DefaultSampleType != "samples" {
		t.Errorf("%s, first %s", types, got.DefaultSampleType)
	}
	if got.Period != int64(10*time.Millisecond) || got.PeriodType.Type != "wall" || got.DurationNanos != int64(p.Duration()) || got.TimeNanos != p.Start.UnixNano() {
		t.Errorf("period %d of %s, duration %d, at %d", got.Period, got.PeriodType.Type, got.DurationNanos, got.TimeNanos)
	}
	var sums [10][2]time.Duration // by the last digit of the thread
	for _, s := range got.Sample {
		sum := &sums[s.NumLabel["thread_id"][0]%10]
		sum[0], sum[1] = sum[0]+time.Duration(s.Value[1]), sum[1]+time.Duration(s.Value[2])
	}
	for _, th := range p.Threads {
		want := [2]time.Duration{th.Spent.OnCPU + th.Spent.Queued + th.Spent.Blocked, th.Spent.OnCPU}
		if got := sums[th.ID%10]; got != want {
			t.Errorf("thread %d: %v, want %v", th.ID, got, want)
		}
	}
}

// TestPprofTimesUncounted: where nobody counts, time follows from the samples, and
// is none of a CPU.
func TestPprofTimesUncounted(t *testing.T) {
	p := sampled()
	p.Snapshots, p.MissedTicks = 50, 25
	for _, th := range p.Threads {
		th.Spent = profile.Spent{}
	}
	got := parsed(t, p)
	if types := typesOf(got); types != "samples/count wall/nanoseconds" {
		t.Error(types)
	}
	for _, s := range got.Sample {
		if want := s.Value[0] * int64(15*time.Millisecond); s.Value[1] != want {
			t.Errorf("%d samples: %d ns, want %d", s.Value[0], s.Value[1], want)
		}
	}
}

// TestPprofOneShot has samples alone.
func TestPprofOneShot(t *testing.T) {
	p := linux()
	p.Threads[0].Spent.OnCPU = time.Second // which nobody tells
	got := parsed(t, p)
	if types := typesOf(got); types != "samples/count" || len(got.Sample) != len(p.Threads) || got.Period != 0 || got.PeriodType != nil && got.PeriodType.Type != "" {
		t.Errorf("%s, period %d", types, got.Period)
	}
}

func typesOf(p *pprof.Profile) string {
	var types []string
	for _, typ := range p.SampleType {
		types = append(types, typ.Type+"/"+typ.Unit)
	}
	return strings.Join(types, " ")
}

// TestPprofLocations: an address with what is inlined there, in its image.
func TestPprofLocations(t *testing.T) {
	p := linux()
	got := parsed(t, p)
	stack := sampleOf(t, got, "thread", "demo").Location
	var lines [][2]string
	for _, l := range stack {
		for _, line := range l.Line {
			lines = append(lines, [2]string{line.Function.Name, line.Function.Filename})
		}
	}
	want := [][2]string{{"__lll_lock_wait"}, {"lock_guard", "/src/demo/lock.h"}, {"take(queue&)", "/src/demo/main.cc"}, {"main"}, {"__libc_start_call_main"}}
	if diff := gocmp.Diff(want, lines); diff != "" || len(stack) != 4 {
		t.Errorf("%d locations, %s", len(stack), diff)
	}
	inlined := stack[1]
	if inlined.Address != 0x55d0c0a01244 || inlined.Line[0].Line != 31 || inlined.Line[1].Line != 204 || stack[0].Address != 0x7f10a2c8607d {
		t.Errorf("%#x, innermost %#x, lines %d and %d", inlined.Address, stack[0].Address, inlined.Line[0].Line, inlined.Line[1].Line)
	}
	main := got.Mapping[0]
	if main.File != "/tmp/demo" || main.BuildID != "5f0e1d2c3b4a59687786a5b4c3d2e1f00f1e2d3c" || main.Start != 0x55d0c0a00000 || main.Limit != 0x55d0c0a02000 ||
		!main.HasFunctions || !main.HasInlineFrames || !main.HasLineNumbers || inlined.Mapping != main {
		t.Errorf("%+v", main)
	}
	if libc := stack[0].Mapping; libc.HasInlineFrames || libc.HasLineNumbers || libc.HasFilenames || libc.BuildID != "bd1f8d1e1a9c1f3c" {
		t.Errorf("%+v", libc)
	}
	if mac := parsed(t, darwin()).Mapping[0]; mac.BuildID != "5B424D44-FED2-3361-8D75-41795DA0FEF6" || mac.HasFunctions {
		t.Errorf("%+v", mac)
	}
}

// TestPprofLabels tell of the thread, and of its state where that is one.
func TestPprofLabels(t *testing.T) {
	s := sampleOf(t, parsed(t, darwin()), "thread_id", "0x20e2ba")
	want := map[string][]string{"thread_id": {"0x20e2ba"}, "queue": {"com.apple.main-thread"}, "state": {"sleeping"}}
	if diff := gocmp.Diff(want, s.Label); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"demo": "", "idle": "sleeping", "brief": "runnable"} {
		s := sampleOf(t, parsed(t, sampled()), "thread", name)
		if got := strings.Join(s.Label["state"], " "); got != want || len(s.NumLabel["thread_id"]) != 1 {
			t.Errorf("thread %s: %v, want %s", name, s.Label, want)
		}
	}
}

func sampleOf(t *testing.T, p *pprof.Profile, key, value string) *pprof.Sample {
	t.Helper()
	for _, s := range p.Sample {
		if slices.Contains(s.Label[key], value) {
			return s
		}
	}
	t.Fatalf("no sample with %s %s", key, value)
	return nil
}

// TestPprofGroup has the stacks of all processes, each with its own.
func TestPprofGroup(t *testing.T) {
	g := &profile.Group{Tool: "stacksnap 1.0", Profiles: []*profile.Profile{sampled(), darwin()}, Missing: []profile.Missing{{PID: 14, Why: "gone"}}}
	g.Profiles[0].Target.PID, g.Profiles[1].Start = 1, g.Profiles[0].Start.Add(2*time.Second)
	g.Profiles[1].End = g.Profiles[1].Start
	var b bytes.Buffer
	if err := GroupPprof(&b, g); err != nil {
		t.Fatal(err)
	}
	got := parsedBytes(t, b.Bytes())
	each := map[int64]int64{}
	for _, s := range got.Sample {
		each[s.NumLabel["pid"][0]] += s.Value[0]
		if s.NumLabel["pid"][0] == 43184 && (s.Label["process"][0] != "tray" || s.Value[1] != 0) {
			t.Errorf("%+v", s)
		}
	}
	if diff := gocmp.Diff(map[int64]int64{1: 203, 43184: 4}, each); diff != "" {
		t.Error(diff)
	}
	if got.DurationNanos != int64(2*time.Second) || got.TimeNanos != g.Profiles[0].Start.UnixNano() || !slices.Contains(got.Comments, "missing: gone") {
		t.Errorf("%d ns, %q", got.DurationNanos, got.Comments)
	}
}

// TestPprofBadTimes: a recording may tell any.
func TestPprofBadTimes(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, start := range []time.Time{{}, time.Unix(1<<40, 0), time.Unix(-1<<40, 0), year(1677), year(2262)} {
		p := sampled()
		p.Start, p.End, p.MissedTicks = start, start.Add(-time.Hour), -7
		if got := parsed(t, p); got.TimeNanos != 0 || got.DurationNanos != 0 {
			t.Errorf("%v: %d, %d", start, got.TimeNanos, got.DurationNanos)
		}
	}
}

// TestClock does not take missed snapshots for taken ones, nor believe in less than none.
func TestClock(t *testing.T) {
	for missed, want := range map[int]time.Duration{0: 10 * time.Millisecond, -50: 10 * time.Millisecond, 300: 40 * time.Millisecond} {
		p := &profile.Profile{Snapshots: 100, Interval: 10 * time.Millisecond, MissedTicks: missed}
		if got := newClock(p).each; got != want {
			t.Errorf("%d missed: %v, want %v", missed, got, want)
		}
	}
}

// TestUvarintLen is as many bytes as are written.
func TestUvarintLen(t *testing.T) {
	for _, v := range []uint64{0, 1, 127, 128, 129, 1<<14 - 1, 1 << 14, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		if got, want := uvarintLen(v), len(binary.AppendUvarint(nil, v)); got != want {
			t.Errorf("%d: %d bytes, want %d", v, got, want)
		}
	}
}

// TestPprofDeepRecursion writes its one location once.
func TestPprofDeepRecursion(t *testing.T) {
	got := parsed(t, recursion(9000))
	if n, want := len(got.Sample[0].Location), 9906; n != want || len(got.Location) > 10 {
		t.Errorf("%d frames, want %d, of %d locations", n, want, len(got.Location))
	}
}

// pprofText is a report as pprof's package prints it.
func pprofText(t *testing.T, p *profile.Profile) []byte {
	return []byte(strings.TrimRight(parsed(t, p).String(), "\n") + "\n")
}

// TestPprofGolden: what pprof's package makes of reports.
func TestPprofGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"linux.pprof.txt": linux(), "darwin.pprof.txt": darwin(), "sampled.pprof.txt": sampled(), "hostile.pprof.txt": hostile(),
	} {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, pprofText(t, p)) })
	}
}
