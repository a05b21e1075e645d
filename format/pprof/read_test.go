package pprof

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"stacksnap/format/folded"
	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/report"
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task/damage"
)

// TestReadPprof: what is read has the counts of what was written, and differs from it in
// nothing.
func TestReadPprof(t *testing.T) {
	for kind, make := range fixtures.Profiles {
		p := make()
		if p.Main == nil && len(p.Images) > 0 {
			p.Main = p.Images[0] // as pprof has it
		}
		got, err := Read(bytes.NewReader(golden.Written(t, Write, p)))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if kind == "hostile" { // whose names were escaped, and are again
			checkSums(t, got)
			continue
		}
		if diff := gocmp.Diff(inlinedCalls(p), inlinedCalls(got)); diff != "" {
			t.Errorf("%s, inlined (-want +got):\n%s", kind, diff)
		}
		if diff := gocmp.Diff(counts.Own(p), counts.By(got, words.AreaLabel)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		d, err := diff.New(p, got, diff.Options{By: profile.ByThread, Scale: diff.AsCounted})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Functions {
			if f.Self.Before != f.Self.After || f.Total.Before != f.Total.After {
				t.Errorf("%s: %s: %+v, total %+v", kind, f.Function, f.Self, f.Total)
			}
		}
	}
}

// inlinedCalls are how many frames of each function are inlined.
func inlinedCalls(p *profile.Profile) map[string]int {
	n := map[string]int{}
	for _, t := range p.Threads {
		for _, node := range t.Nodes() {
			if node.Inlined {
				n[node.Function]++
			}
		}
	}
	return n
}

// TestReadPprofFacts: the time, the program and its threads.
func TestReadPprofFacts(t *testing.T) {
	p := fixtures.Sampled()
	p.Threads[0].Roots[0].Children[0].Children[0].Spent.OnCPU = 100e6
	got, err := Read(bytes.NewReader(golden.Written(t, Write, p)))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Start.Equal(p.Start) || got.Duration() != p.Duration() || got.Tool != p.Tool || got.Snapshots != 0 || !got.CountsCPU() {
		t.Errorf("%+v", got)
	}
	var before, after int64
	for _, th := range p.Threads {
		before += int64(th.Spent.OnCPU)
	}
	for _, th := range got.Threads {
		after += int64(th.Spent.OnCPU)
	}
	if before != after || before == 0 {
		t.Errorf("%d ns of CPU time, not %d", after, before)
	}
	if shot, err := Read(bytes.NewReader(golden.Written(t, Write, fixtures.Linux()))); err != nil || shot.Snapshots != 1 || shot.CountsCPU() {
		t.Errorf("%+v, %v", shot, err)
	}
}

// TestReadPprofOfOthers: what pprof's own package writes, with numbers that are not packed
// and samples before all that they refer to.
func TestReadPprofOfOthers(t *testing.T) {
	f := &pprof.Function{ID: 9, Name: "main.work"}
	l := &pprof.Location{ID: 4, Address: 77, Line: []pprof.Line{{Function: f, Line: 3}}}
	whole := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample:     []*pprof.Sample{{Location: []*pprof.Location{l}, Value: []int64{3, 30}}, {Location: []*pprof.Location{l, l}, Value: []int64{2, 20}}},
		Location:   []*pprof.Location{l}, Function: []*pprof.Function{f}, DurationNanos: 1e9,
	}
	written := func() *bytes.Buffer {
		var b bytes.Buffer
		if err := whole.WriteUncompressed(&b); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	p, err := Read(written())
	if err != nil || p.Duration() != 1e9 || len(p.Threads) != 1 || p.Threads[0].Samples != 5 || p.Threads[0].Spent.OnCPU != 50 {
		t.Fatalf("%+v, %v", p, err)
	}
	if n := p.Threads[0].Roots[0]; n.Count != 5 || n.Self != 3 || n.Function != "main.work" || n.Line != 3 || n.Children[0].Self != 2 {
		t.Errorf("%+v", n)
	}
	whole.SampleType[0].Type = "inuse_space"
	if _, err := Read(written()); err == nil || !strings.Contains(err.Error(), "inuse_space/count, cpu/nanoseconds") {
		t.Errorf("a heap: %v", err)
	}
	whole.SampleType[0].Type = "samples"
	whole.Sample[0].Value[0] = -3
	if _, err := Read(written()); err == nil || !strings.Contains(err.Error(), "counts -3") {
		t.Errorf("a difference: %v", err)
	}
	whole.Sample[0].Value = []int64{1, 2, 3}
	var m protobuf.Message
	for _, s := range []string{"", "samples", "count"} {
		m = m.Inner(pprofString, protobuf.Message(s))
	}
	m = m.Inner(pprofSampleType, protobuf.Message(nil).Signed(1, 1).Signed(2, 2)).Inner(pprofSample, protobuf.Message(nil).Packed(2, []uint64{1, 2}))
	if _, err := Read(bytes.NewReader(m)); err == nil || !strings.Contains(err.Error(), "2 values, not 1") {
		t.Errorf("more values than types: %v", err)
	}
	whole.Sample[0].Value = []int64{1, 2}
	for i, s := range whole.Sample {
		s.NumLabel = map[string][]int64{"pid": {int64(i + 1)}}
	}
	if _, err := Read(written()); err == nil || !strings.Contains(err.Error(), "several processes") {
		t.Errorf("several: %v", err)
	}
}

// TestReadPprofDamaged: every part of a profile is no whole one, or a shorter one.
func TestReadPprofDamaged(t *testing.T) {
	whole := golden.Written(t, Write, fixtures.Sampled())
	for n := range whole {
		if p, err := Read(bytes.NewReader(whole[:n])); err == nil {
			checkSums(t, p)
		}
	}
	for _, text := range []string{"", "text", "{}", "\x00", "\x0a\x02\x08"} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrNotPprof) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestReadPprofMutants: of 2,000 spoiled profiles each is read or refused, and takes no more
// memory than the bytes that it has.
func TestReadPprofMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*profile.Profile{fixtures.Linux(), fixtures.Sampled(), fixtures.Hostile(), fixtures.Darwin()} {
		whole := golden.Written(t, Write, p)
		for range 500 {
			mutant := damage.Copy(r, whole)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := Read(bytes.NewReader(mutant))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("%d bytes took %d of memory", len(mutant), took)
			}
			if err == nil {
				checkSums(t, p)
				golden.CheckRead(t, p, text.Tree, jsondoc.Write, folded.Write, Write, speedscope.Write, text.Summary)
			}
		}
	}
}

// TestReadPprofStrange: ids and places that lead nowhere, to themselves or to several.
func TestReadPprofStrange(t *testing.T) {
	const minusOne = 1<<64 - 1
	var start protobuf.Message
	for _, s := range []string{"", "samples", "count"} {
		start = start.Inner(pprofString, protobuf.Message(s))
	}
	start = start.Inner(pprofSampleType, protobuf.Message(nil).Signed(1, 1).Signed(2, 2))
	sample := func(locations ...uint64) protobuf.Message {
		return protobuf.Message(nil).Inner(pprofSample, protobuf.Message(nil).Packed(1, locations).Packed(2, []uint64{1}))
	}
	location := func(id, mapping, function uint64) protobuf.Message {
		return protobuf.Message(nil).Inner(pprofLocation, protobuf.Message(nil).Number(1, id).Number(2, mapping).Inner(4, protobuf.Message(nil).Number(1, function).Number(2, minusOne)))
	}
	mapping := func(id, begin, end uint64) protobuf.Message {
		return protobuf.Message(nil).Inner(pprofMapping, protobuf.Message(nil).Number(1, id).Number(2, begin).Number(3, end).Number(5, minusOne).Number(6, 1<<40))
	}
	function := func(id, name uint64) protobuf.Message {
		return protobuf.Message(nil).Inner(pprofFunctions, protobuf.Message(nil).Number(1, id).Number(2, name).Number(4, minusOne))
	}
	for name, m := range map[string]protobuf.Message{
		"nothing there":       sample(1, 2, 3),
		"ids of 0":            slices.Concat(location(0, 0, 0), mapping(0, 0, 0), function(0, 0), sample(0)),
		"ids of -1":           slices.Concat(location(minusOne, minusOne, minusOne), mapping(minusOne, minusOne, 0), function(minusOne, minusOne), sample(minusOne)),
		"the same id twice":   slices.Concat(location(1, 1, 1), location(1, 2, 2), mapping(1, 1, 2), mapping(1, 5, 3), function(1, 1), function(1, 2), sample(1, 1)),
		"a location twice":    slices.Concat(location(1, 1, 1), sample(1, 1, 1, 1)),
		"an end before":       slices.Concat(location(1, 1, 1), mapping(1, minusOne, 1), sample(1)),
		"groups in groups":    protobuf.Message(strings.Repeat("\x0b", 10_000)),
		"in one another":      slices.Concat(location(1, 1, 1).Inner(pprofLocation, location(1, 1, 1).Inner(pprofLocation, location(1, 1, 1))), sample(1)),
		"a length of -1":      protobuf.Message("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
		"a number too long":   protobuf.Message("\x48" + strings.Repeat("\xff", 20)),
		"a duration below 0":  protobuf.Message(nil).Signed(10, -1),
		"a time out of range": protobuf.Message(nil).Signed(9, math.MinInt64),
	} {
		p, err := Read(bytes.NewReader(slices.Concat(start, m)))
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		checkSums(t, p)
		golden.CheckRead(t, p, text.Tree, jsondoc.Write, folded.Write, Write, speedscope.Write, text.Summary)
	}
}

// TestReadPprofBomb: few bytes that stand for frames without number.
func TestReadPprofBomb(t *testing.T) {
	var m protobuf.Message
	for _, s := range []string{"", "samples", "count"} {
		m = m.Inner(pprofString, protobuf.Message(s))
	}
	m = m.Inner(pprofSampleType, protobuf.Message(nil).Signed(1, 1).Signed(2, 2))
	location := protobuf.Message(nil).Number(1, 1)
	for range 100 {
		location = location.Inner(4, protobuf.Message(nil).Number(1, 1))
	}
	m = m.Inner(pprofLocation, location)
	m = m.Inner(pprofSample, protobuf.Message(nil).Packed(1, bytesOf(1, 200)).Packed(2, []uint64{1}))
	for _, bounds := range [][2]int{{20_000, 19_999}, {19_998, 20_000}} {
		if _, err := readPprof(bytes.NewReader(m), bounds[0], bounds[1]); !errors.Is(err, errPprofSize) {
			t.Errorf("%v: %v", bounds, err)
		}
	}
	if _, err := readPprof(bytes.NewReader(m), 20_000, 20_000); err != nil {
		t.Error(err)
	}
}

func bytesOf(v uint64, n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// checkSums checks that the counts of a tree add up.
func checkSums(t *testing.T, p *profile.Profile) {
	t.Helper()
	for _, th := range p.Threads {
		sum := th.Empty
		for _, n := range th.Nodes() {
			below := n.Self
			for _, c := range n.Children {
				below += c.Count
			}
			if n.Count != below {
				t.Fatalf("%s: %d samples, %d below", n.Function, n.Count, below)
			}
			sum += n.Self
		}
		if sum > th.Samples {
			t.Fatalf("%d samples of %d", sum, th.Samples)
		}
	}
}

// FuzzReadPprof: no profile panics, its counts add up, and it can be compared.
func FuzzReadPprof(f *testing.F) {
	for _, p := range []*profile.Profile{fixtures.Linux(), fixtures.Sampled(), fixtures.Hostile(), fixtures.Darwin()} {
		var b bytes.Buffer
		if err := Write(&b, report.Of(p), words.Options{}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, whole []byte) {
		p, err := Read(bytes.NewReader(whole))
		if err != nil {
			return
		}
		checkSums(t, p)
		golden.CheckRead(t, p, text.Tree, jsondoc.Write, folded.Write, Write, speedscope.Write, text.Summary)
	})
}
