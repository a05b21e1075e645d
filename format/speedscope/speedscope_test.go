package speedscope

import (
	"bytes"
	"io"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestSpeedscopeEvents: frames are there for as long as samples find them, and threads
// share one clock, also those of several processes.
func TestSpeedscopeEvents(t *testing.T) {
	late := fixtures.Timed()
	late.Start = late.Start.Add(time.Second)
	both := func(w io.Writer, r *report.Report, o words.Options) error {
		return Write(w, report.OfGroup(&profile.Group{Profiles: append([]*profile.Profile{late}, r.Profiles...)}), o)
	}
	for kind, p := range map[string]*profile.Profile{"timed": fixtures.Timed(), "focus": fixtures.Timed().Select(fixtures.Matching("work"), nil, fixtures.Matching("main"))} {
		f := counts.ReadSpeedscope(t, golden.Written(t, Write, p))
		got := counts.Counts{}
		for i, one := range f.Profiles {
			f.AddEvents(t, got, one.Events)
			if one.Type != "evented" || one.Unit != "nanoseconds" || one.StartValue != 0 || len(one.Samples) > 0 {
				t.Errorf("%s: profile %d is %s of %s", kind, i, one.Type, one.Unit)
			}
		}
		maps.DeleteFunc(got, func(_ string, n [2]int64) bool { return n[1] == 0 })
		if diff := cmp.Diff(counts.WallOf(p), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	f := counts.ReadSpeedscope(t, golden.Written(t, both, fixtures.Timed()))
	for i, want := range [][2]int64{{1000, 1600}, {1000, 1600}, {1200, 1300}, {0, 600}, {0, 600}, {200, 300}} {
		one := f.Profiles[i]
		if first, end := one.Events[0].At/1e6, one.EndValue/1e6; first != want[0] || end != want[1] {
			t.Errorf("profile %d from %d to %d", i, first, end)
		}
	}
}

// TestSpeedscopeCounts: what is read is what the profile has.
func TestSpeedscopeCounts(t *testing.T) {
	for kind, make := range fixtures.Profiles {
		p := counts.Uncounted(make())
		f := counts.ReadSpeedscope(t, golden.Written(t, Write, p))
		if diff := cmp.Diff(counts.ByLabel(p), f.Counts()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		unit := "none"
		if p.Sampled() {
			unit = "nanoseconds"
		}
		for i, one := range f.Profiles {
			if one.Unit != unit || one.Type != "sampled" || one.EndValue != int64(p.Threads[i].Samples) {
				t.Errorf("%s: %s of %d %s, want %d %s", kind, one.Type, one.EndValue, one.Unit, p.Threads[i].Samples, unit)
			}
		}
		if len(f.Profiles) != len(p.Threads) || f.Schema != speedscopeSchema {
			t.Errorf("%s: %d profiles by %s", kind, len(f.Profiles), f.Schema)
		}
	}
}

// TestSpeedscopeTime is what was counted.
func TestSpeedscopeTime(t *testing.T) {
	f := counts.ReadSpeedscope(t, golden.Written(t, Write, fixtures.Sampled()))
	idle := f.Profiles[1]
	if idle.Name != "Thread 4243 idle" || idle.EndValue != int64(time.Second) || idle.Weights[0] != 0 || idle.Weights[1] != int64(time.Second) {
		t.Errorf("%+v", idle)
	}
	if name := f.Shared.Frames[idle.Samples[1][0]].Name; name != words.BetweenSamples {
		t.Error(name)
	}
}

// TestSpeedscopeGolden, of which readers_test.go has shown that speedscope takes them.
func TestSpeedscopeGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"linux.speedscope.json": fixtures.Linux(), "darwin.speedscope.json": fixtures.Darwin(), "sampled.speedscope.json": fixtures.Sampled(),
		"timed.speedscope.json": fixtures.Timed(), "hostile.speedscope.json": fixtures.Hostile(), "merged.speedscope.json": fixtures.Darwin().FoldThreads(),
	} {
		t.Run(name, func(t *testing.T) { golden.Check(t, name, golden.Written(t, Write, p)) })
	}
}

// TestSpeedscopeGroup names each thread's process.
func TestSpeedscopeGroup(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, report.OfGroup(fixtures.Group()), words.Options{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "group.speedscope.json", b.Bytes())
	f := counts.ReadSpeedscope(t, b.Bytes())
	if last := f.Profiles[len(f.Profiles)-1]; last.Name != "demo [4242] Thread 4243 busy" || f.Name != "make [11] and 2 more" {
		t.Errorf("%s of %s", last.Name, f.Name)
	}
	b.Reset()
	if err := Write(&b, report.OfGroup(&profile.Group{}), words.Options{}); err != nil || len(counts.ReadSpeedscope(t, b.Bytes()).Profiles) != 0 {
		t.Errorf("none: %v", err)
	}
}
