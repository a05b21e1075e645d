package format

import (
	"bytes"
	"encoding/json"
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
		"hostile.speedscope.json": hostile(), "merged.speedscope.json": darwin().FoldThreads(),
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
