package format

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
)

// speedscopeFile is what of speedscope's form is written.
type speedscopeFile struct {
	Schema   string `json:"$schema"`
	Exporter string
	Name     string
	Active   int `json:"activeProfileIndex"`
	Profiles []struct {
		Type, Name, Unit     string
		StartValue, EndValue int64
		Samples              [][]int
		Weights              []int64
		Events               []speedscopeEvent
	}
	Shared struct {
		Frames []struct{ Name, File string }
	}
}

func readSpeedscope(t *testing.T, report []byte) *speedscopeFile {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(report))
	d.DisallowUnknownFields()
	f := &speedscopeFile{}
	if err := d.Decode(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// speedscopeEvent is a frame that comes onto the stack, or goes.
type speedscopeEvent struct {
	Type  string
	Frame int
	At    int64
}

// addEvents counts for how long functions were on the stack. What is closed was the last
// to be opened, and in the end all is.
func (f *speedscopeFile) addEvents(t *testing.T, c counts, events []speedscopeEvent) {
	t.Helper()
	var stack []string
	at := int64(0)
	for _, e := range events {
		if e.At < at {
			t.Errorf("at %d after %d", e.At, at)
		}
		if len(stack) > 0 {
			on := map[string]bool{}
			for _, name := range stack {
				on[name] = true
			}
			c.add(stack[len(stack)-1], on, e.At-at)
		}
		at = e.At
		name := f.Shared.Frames[e.Frame].Name
		switch last := len(stack) - 1; {
		case e.Type == "O":
			stack = append(stack, name)
		case e.Type != "C" || last < 0 || stack[last] != name:
			t.Fatalf("%s of %s on %q", e.Type, name, stack)
		default:
			stack = stack[:last]
		}
	}
	if len(stack) > 0 {
		t.Errorf("%q are open at the end", stack)
	}
}

// TestSpeedscopeEvents: frames are there for as long as samples find them, and threads
// share one clock, also those of several processes.
func TestSpeedscopeEvents(t *testing.T) {
	late := timed()
	late.Start = late.Start.Add(time.Second)
	both := func(w io.Writer, p *profile.Profile) error {
		return GroupSpeedscope(w, &profile.Group{Profiles: []*profile.Profile{late, p}})
	}
	for kind, p := range map[string]*profile.Profile{"timed": timed(), "focus": timed().Select(matching("work"), nil, matching("main"))} {
		f := readSpeedscope(t, written(t, Speedscope, p))
		got := counts{}
		for i, one := range f.Profiles {
			f.addEvents(t, got, one.Events)
			if one.Type != "evented" || one.Unit != "nanoseconds" || one.StartValue != 0 || len(one.Samples) > 0 {
				t.Errorf("%s: profile %d is %s of %s", kind, i, one.Type, one.Unit)
			}
		}
		maps.DeleteFunc(got, func(_ string, n [2]int64) bool { return n[1] == 0 })
		if diff := cmp.Diff(wallOf(p), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	f := readSpeedscope(t, written(t, both, timed()))
	for i, want := range [][2]int64{{1000, 1600}, {1000, 1600}, {1200, 1300}, {0, 600}, {0, 600}, {200, 300}} {
		one := f.Profiles[i]
		if first, end := one.Events[0].At/1e6, one.EndValue/1e6; first != want[0] || end != want[1] {
			t.Errorf("profile %d from %d to %d", i, first, end)
		}
	}
}

// counts are the weights by function.
func (f *speedscopeFile) counts() counts {
	c := counts{}
	for _, p := range f.Profiles {
		for i, stack := range p.Samples {
			on, self := map[string]bool{}, ""
			for _, index := range stack {
				self = f.Shared.Frames[index].Name
				on[self] = true
			}
			c.add(self, on, p.Weights[i])
		}
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}

// uncounted is a profile of whose threads no time was counted, in which a sample
// stands for a nanosecond.
func uncounted(p *profile.Profile) *profile.Profile {
	for _, t := range p.Threads {
		t.Spent = profile.Spent{}
	}
	p.Interval, p.MissedTicks = time.Nanosecond, 0
	return p
}

// byLabel is the counts with frames named as in trees by function.
func byLabel(p *profile.Profile) counts { return countsBy(p.ByFunction(), label) }

// TestSpeedscopeCounts: what is read is what the profile has.
func TestSpeedscopeCounts(t *testing.T) {
	for kind, make := range profiles {
		p := uncounted(make())
		f := readSpeedscope(t, written(t, Speedscope, p))
		if diff := cmp.Diff(byLabel(p), f.counts()); diff != "" {
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
	f := readSpeedscope(t, written(t, Speedscope, sampled()))
	idle := f.Profiles[1]
	if idle.Name != "Thread 4243 idle" || idle.EndValue != int64(time.Second) || idle.Weights[0] != 0 || idle.Weights[1] != int64(time.Second) {
		t.Errorf("%+v", idle)
	}
	if name := f.Shared.Frames[idle.Samples[1][0]].Name; name != betweenSamples {
		t.Error(name)
	}
}

// TestSpeedscopeGolden, of which readers_test.go has shown that speedscope takes them.
func TestSpeedscopeGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"linux.speedscope.json": linux(), "darwin.speedscope.json": darwin(), "sampled.speedscope.json": sampled(),
		"timed.speedscope.json": timed(), "hostile.speedscope.json": hostile(), "merged.speedscope.json": darwin().FoldThreads(),
	} {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, written(t, Speedscope, p)) })
	}
}

// TestSpeedscopeGroup names each thread's process.
func TestSpeedscopeGroup(t *testing.T) {
	var b bytes.Buffer
	if err := GroupSpeedscope(&b, group()); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "group.speedscope.json", b.Bytes())
	f := readSpeedscope(t, b.Bytes())
	if last := f.Profiles[len(f.Profiles)-1]; last.Name != "demo [4242] Thread 4243 busy" || f.Name != "make [11] and 2 more" {
		t.Errorf("%s of %s", last.Name, f.Name)
	}
	b.Reset()
	if err := GroupSpeedscope(&b, &profile.Group{}); err != nil || len(readSpeedscope(t, b.Bytes()).Profiles) != 0 {
		t.Errorf("none: %v", err)
	}
}
