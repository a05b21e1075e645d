package diff

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
)

// TestControl compares samplings of one and the same program, which stays in a function for some samples:
// by its blocks of time, one pair in twenty seems to have changed, or fewer; that samples are taken for
// independent would not do.
func TestControl(t *testing.T) {
	const pairs = 100
	shares := []float64{.3, .25, .2, .15, .1}
	for _, o := range []Options{{Measure: BySamples}, {Measure: ByCPU}, {Measure: ByCPU, Scale: ToTime}} {
		r := rand.New(rand.NewPCG(7, uint64(o.Measure)))
		blocks, independent := 0, 0
		for range pairs {
			before, after := fixtures.Busy(r, 1000, 10, shares...), fixtures.Busy(r, 1000, 10, shares...)
			if o.By = profile.ByProcess; hasChange(t, before, after, o) {
				blocks++
			}
			for _, p := range []*profile.Profile{before, after} {
				p.Threads[0].Timeline = nil
			}
			if hasChange(t, before, after, o) {
				independent++
			}
		}
		t.Logf("%v: of %d pairs %d seem to have changed, by independent samples %d", o, pairs, blocks, independent)
		if blocks > pairs/20 || independent < pairs/5 {
			t.Errorf("%v: of %d pairs %d seem to have changed, by independent samples %d", o, pairs, blocks, independent)
		}
	}
}

// TestChangeIsFound: five points more are beyond noise in nearly every pair.
func TestChangeIsFound(t *testing.T) {
	const pairs = 20
	r := rand.New(rand.NewPCG(8, 8))
	found := 0
	for range pairs {
		before, after := fixtures.Busy(r, 12000, 2, .3, .25, .25, .2), fixtures.Busy(r, 12000, 2, .35, .25, .2, .2)
		if hasChange(t, before, after, Options{Measure: ByCPU, By: profile.ByProcess}) {
			found++
		}
	}
	if found < pairs*9/10 {
		t.Errorf("found in %d of %d pairs", found, pairs)
	}
}

func hasChange(t *testing.T, before, after *profile.Profile, o Options) bool {
	t.Helper()
	d, err := New(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	if hasTimes := before.HasTimeline(); !d.Noise.Known || hasTimes != (d.Noise.Before == maxBlocks) || hasTimes != (d.Noise.After == maxBlocks) {
		t.Fatalf("%+v", d.Noise)
	}
	return slices.ContainsFunc(d.Functions, d.Changed)
}

// TestSnapshotHasNoNoise: of a single snapshot nothing is known.
func TestSnapshotHasNoNoise(t *testing.T) {
	one := viewable(stacks{"a": 1})
	one.Snapshots = 1
	d, err := New(one, viewable(stacks{"a": 1, "b": 9}), Options{By: profile.ByProcess})
	if err != nil || d.Noise.Known || !slices.ContainsFunc(d.Functions, d.Changed) {
		t.Errorf("%+v, %v", d.Noise, err)
	}
}

// TestStudent compares with the tables of Student's distribution.
func TestStudent(t *testing.T) {
	for _, c := range []struct{ tail, df, want float64 }{
		{.025, 5, 2.5706}, {.025, 10, 2.2281}, {.005, 19, 2.8609}, {.0005, 19, 3.8834}, {.0005, 38, 3.5657}, {.025, 1e6, 1.96},
	} {
		if got := student(c.tail, c.df); math.Abs(got-c.want) > .01 {
			t.Errorf("%v: %v", c, got)
		}
	}
}
