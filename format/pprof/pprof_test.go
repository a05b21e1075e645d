package pprof

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// parsed reads a report as pprof's own package does, which checks it.
func parsed(t *testing.T, p *profile.Profile) *pprof.Profile {
	t.Helper()
	return counts.ParsedBytes(t, golden.Written(t, Write, p))
}

// TestPprofCounts: what pprof's package reads is what the profile has.
func TestPprofCounts(t *testing.T) {
	for kind, make := range fixtures.Profiles {
		for how, p := range map[string]*profile.Profile{"": make(), " without inlined": make().WithoutInlined(), " folded": make().FoldThreads()} {
			if diff := gocmp.Diff(counts.Own(p), counts.OfPprof(parsed(t, p))); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", kind, how, diff)
			}
		}
	}
}

// TestPprofTimes: all that was counted of a thread is there, and nothing else.
func TestPprofTimes(t *testing.T) {
	p := fixtures.Sampled()
	p.Threads[0].Roots[0].Children[0].Children[0].Spent = profile.Spent{OnCPU: 100 * time.Millisecond, Queued: 4 * time.Millisecond}
	got := parsed(t, p)
	if types := typesOf(got); types != "samples/count wall/nanoseconds cpu/nanoseconds" || got.DefaultSampleType != "cpu" {
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
	p := fixtures.Sampled()
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
	p := fixtures.Linux()
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
	p := fixtures.Linux()
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
	if mac := parsed(t, fixtures.Darwin()).Mapping[0]; mac.BuildID != "5B424D44-FED2-3361-8D75-41795DA0FEF6" || mac.HasFunctions {
		t.Errorf("%+v", mac)
	}
}

// TestPprofLabels tell of the thread, and of its state where that is one.
func TestPprofLabels(t *testing.T) {
	s := sampleOf(t, parsed(t, fixtures.Darwin()), "thread_id", "0x20e2ba")
	want := map[string][]string{"thread_id": {"0x20e2ba"}, "queue": {"com.apple.main-thread"}, "state": {"sleeping"}}
	if diff := gocmp.Diff(want, s.Label); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"demo": "", "idle": "sleeping", "brief": "runnable"} {
		s := sampleOf(t, parsed(t, fixtures.Sampled()), "thread", name)
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
	g := &profile.Group{Tool: "stacksnap 1.0", Profiles: []*profile.Profile{fixtures.Sampled(), fixtures.Darwin()}, Missing: []profile.Missing{{PID: 14, Why: "gone"}}}
	g.Profiles[0].Target.PID, g.Profiles[1].Start = 1, g.Profiles[0].Start.Add(2*time.Second)
	g.Profiles[1].End = g.Profiles[1].Start
	var b bytes.Buffer
	if err := Write(&b, report.OfGroup(g), words.Options{}); err != nil {
		t.Fatal(err)
	}
	got := counts.ParsedBytes(t, b.Bytes())
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
		p := fixtures.Sampled()
		p.Start, p.End, p.MissedTicks = start, start.Add(-time.Hour), -7
		if got := parsed(t, p); got.TimeNanos != 0 || got.DurationNanos != 0 {
			t.Errorf("%v: %d, %d", start, got.TimeNanos, got.DurationNanos)
		}
	}
}

// TestPprofDeepRecursion writes its one location once.
func TestPprofDeepRecursion(t *testing.T) {
	got := parsed(t, fixtures.Recursion(9000))
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
		"linux.pprof.txt": fixtures.Linux(), "darwin.pprof.txt": fixtures.Darwin(), "sampled.pprof.txt": fixtures.Sampled(), "hostile.pprof.txt": fixtures.Hostile(),
	} {
		t.Run(name, func(t *testing.T) { golden.Check(t, name, pprofText(t, p)) })
	}
}
