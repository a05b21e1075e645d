package firefox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/chrome"
	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// firefoxFile is what of the Profiler's form is looked at.
type firefoxFile struct {
	Meta struct {
		Version    int `json:"preprocessedProfileVersion"`
		StartTime  float64
		Interval   float64
		Categories []firefoxCategory
	}
	Libs    []firefoxLib
	Threads []struct {
		Name, PID, ProcessName string
		TID                    any
		IsMainThread           bool
		RegisterTime           float64
		UnregisterTime         *float64
		Samples                struct {
			Stack          []int
			Time           []float64
			ThreadCPUDelta []*int
			Length         int
		}
		Markers struct {
			Name, Phase, Category []int
			StartTime             []float64
			EndTime               []*float64
			Data                  []struct{ Type, What, Found string }
			Length                int
		}
	}
	Shared struct {
		StackTable    struct{ Frame, PrefixOffset []int }
		FrameTable    map[string]json.RawMessage
		FuncTable     map[string]json.RawMessage
		ResourceTable map[string]json.RawMessage
		NativeSymbols map[string]json.RawMessage
		Sources       map[string]json.RawMessage
		StringArray   []string
	}
}

func readFirefox(t *testing.T, report []byte) *firefoxFile {
	t.Helper()
	f := &firefoxFile{}
	if err := json.Unmarshal(report, f); err != nil {
		t.Fatal(err)
	}
	s := &f.Shared
	for _, table := range []map[string]json.RawMessage{s.FrameTable, s.FuncTable, s.ResourceTable, s.NativeSymbols, s.Sources} {
		for name := range table {
			if name != "length" && len(columnOf(t, table, name)) != lengthOf(t, table) {
				t.Errorf("column %s is not as long as its table", name)
			}
		}
	}
	return f
}

func lengthOf(t *testing.T, table map[string]json.RawMessage) (n int) {
	t.Helper()
	if err := json.Unmarshal(table["length"], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func columnOf(t *testing.T, table map[string]json.RawMessage, name string) (column []any) {
	t.Helper()
	if err := json.Unmarshal(table[name], &column); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return column
}

// number is one of a column, none for null.
func numberOf(of any) int {
	if n, ok := of.(float64); ok {
		return int(n)
	}
	return none
}

// stack names the functions of a stack, the outermost first, and the category of the
// innermost.
func (f *firefoxFile) stack(t *testing.T, at int) (names []string, category int) {
	funcs, categories := columnOf(t, f.Shared.FrameTable, "func"), columnOf(t, f.Shared.FrameTable, "category")
	functions := columnOf(t, f.Shared.FuncTable, "name")
	category = numberOf(categories[f.Shared.StackTable.Frame[at]])
	for {
		fn := numberOf(funcs[f.Shared.StackTable.Frame[at]])
		names = append([]string{f.Shared.StringArray[numberOf(functions[fn])]}, names...)
		offset := f.Shared.StackTable.PrefixOffset[at]
		if offset == 0 {
			return names, category
		}
		at -= offset
	}
}

// counts are the samples by function.
func (f *firefoxFile) counts(t *testing.T) counts.Counts {
	c := counts.Counts{}
	stacks := map[int][]string{}
	for _, th := range f.Threads {
		for _, at := range th.Samples.Stack {
			names, ok := stacks[at]
			if !ok {
				names, _ = f.stack(t, at)
				stacks[at] = names
			}
			on := map[string]bool{}
			for _, name := range names {
				on[name] = true
			}
			c.Add(names[len(names)-1], on, 1)
		}
	}
	return c
}

// TestFirefoxCounts: what is read is what the profile has.
func TestFirefoxCounts(t *testing.T) {
	for kind, p := range map[string]*profile.Profile{
		"timed": fixtures.Timed(), "focus": fixtures.Timed().Select(fixtures.Matching("work"), nil, fixtures.Matching("^main$")), "outer": fixtures.Timed().WithoutInlined(),
	} {
		f := readFirefox(t, golden.Written(t, Write, p))
		if diff := cmp.Diff(counts.By(p, words.AreaLabel), f.counts(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// TestFirefoxSamples: times, states and CPU times are those of the samples.
func TestFirefoxSamples(t *testing.T) {
	p := fixtures.Timed()
	f := readFirefox(t, golden.Written(t, Write, p))
	for i, th := range p.Threads {
		got, n := f.Threads[i], 0
		if got.Name != firefoxName(p, th) || got.IsMainThread != th.Main || got.PID != "4242" || got.TID != float64(th.ID) {
			t.Errorf("%+v", got)
		}
		for m := range p.Moments(th) {
			names, category := f.stack(t, got.Samples.Stack[n])
			if want := firefoxCategoryOf(m.State); category != want {
				t.Errorf("%v: category %d, want %d", names, category, want)
			}
			if at := got.Samples.Time[n]; at != float64(m.At)/1e6 {
				t.Errorf("at %v, want %v", at, m.At)
			}
			if got.Samples.ThreadCPUDelta != nil {
				cpu := got.Samples.ThreadCPUDelta[n]
				if (cpu == nil) != (m.CPU < 0) || cpu != nil && time.Duration(*cpu)*time.Microsecond != m.CPU {
					t.Errorf("CPU %v, want %v", cpu, m.CPU)
				}
			}
			n++
		}
		if n != got.Samples.Length || (th.ID != 4244) != (got.Samples.ThreadCPUDelta != nil) {
			t.Errorf("thread %d: %d samples of %d, %d CPU times", th.ID, got.Samples.Length, n, len(got.Samples.ThreadCPUDelta))
		}
	}
	brief := f.Threads[2]
	if brief.RegisterTime != 200 || brief.UnregisterTime == nil || *brief.UnregisterTime != 300 || f.Threads[0].UnregisterTime != nil {
		t.Errorf("from %v to %v", brief.RegisterTime, brief.UnregisterTime)
	}
}

// TestFirefoxMarkers are of waits, hangs and deadlocks.
func TestFirefoxMarkers(t *testing.T) {
	p := fixtures.Timed()
	p.Deadlocks = []profile.Deadlock{{From: time.Second, To: time.Second, Looks: 1, Waiters: []profile.Waiter{
		{ID: 4243, Wait: profile.Wait{Lock: profile.Mutex, Addr: 16, Owner: 4243}}}}}
	f := readFirefox(t, golden.Written(t, Write, p))
	marks := map[string][]string{}
	for _, th := range f.Threads {
		id := fmt.Sprint(th.TID)
		for i, d := range th.Markers.Data {
			to := "at once"
			if th.Markers.Phase[i] == 1 {
				to = fmt.Sprint(*th.Markers.EndTime[i])
			}
			if f.Shared.StringArray[th.Markers.Name[i]] != d.Type {
				t.Errorf("%s is named otherwise", d.Type)
			}
			marks[id] = append(marks[id], fmt.Sprintf("%v to %s: %s %s %s", th.Markers.StartTime[i], to, d.Type, d.What, d.Found))
		}
	}
	want := map[string][]string{
		"4242": {"0 to 100: Wait in epoll_wait: fd 5 by 1 check", "500 to 600: Wait in epoll_wait: fd 5 by 1 check", "100 to 500: Hang away from its run loop for 400 ms in 40 samples"},
		"4243": {`0 to 600: Wait for mutex 0x7f0010, held by thread 4242 "demo" by 4 checks`, "1000 to at once: Deadlock waits for mutex 0x10, held by itself by 1 check"},
	}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFirefoxFrames: addresses are in the call, inlined calls share theirs with the
// function that they are in, and symbols begin where functions do.
func TestFirefoxFrames(t *testing.T) {
	f := readFirefox(t, golden.Written(t, Write, fixtures.Timed()))
	frames, symbols := f.Shared.FrameTable, f.Shared.NativeSymbols
	names, rows := columnOf(t, f.Shared.FuncTable, "name"), map[string]bool{}
	for i := range lengthOf(t, frames) {
		at := func(column string) int { return numberOf(columnOf(t, frames, column)[i]) }
		symbol := none
		if s := at("nativeSymbol"); s >= 0 {
			symbol = numberOf(columnOf(t, symbols, "address")[s])
		}
		name := f.Shared.StringArray[numberOf(names[at("func")])]
		rows[fmt.Sprintf("%s lib %d %#x depth %d symbol %#x line %d:%d", name, at("lib"), at("address"), at("inlineDepth"), symbol, at("line"), at("column"))] = true
	}
	for _, want := range []string{
		"main lib 0 0xf depth 0 symbol 0x0 line -1:-1", "work lib 0 0x150 depth 0 symbol 0x100 line 31:4",
		"tiny lib 0 0x150 depth 1 symbol 0x100 line 7:-1", "epoll_wait lib 0 0x220 depth 0 symbol 0x200 line -1:-1",
		"<no stack> lib -1 -0x1 depth 0 symbol -0x1 line -1:-1", "<cut: no caller found> lib -1 -0x1 depth 0 symbol -0x1 line -1:-1",
		"demo+0x0 lib 0 0x990 depth 0 symbol -0x1 line -1:-1",
	} {
		if !rows[want] {
			t.Errorf("no %s among\n%s", want, fmt.Sprint(rows))
		}
	}
}

// TestBreakpadID has what dump_syms of Breakpad tells of such IDs.
func TestBreakpadID(t *testing.T) {
	for _, c := range []struct {
		os       task.OS
		id, want string
	}{
		{task.Linux, "5f0e1d2c3b4a59687786a5b4c3d2e1f00f1e2d3c", "2C1D0E5F4A3B68597786A5B4C3D2E1F00"},
		{task.Linux, "0102", "00000201000000000000000000000000" + "0"},
		{task.Darwin, "5b424d44fed233618d7541795da0fef6", "5B424D44FED233618D7541795DA0FEF60"},
		{task.Linux, "", ""},
	} {
		if got := breakpadID(c.os, fixtures.ID(c.id)); got != c.want {
			t.Errorf("%s: %s, want %s", c.id, got, c.want)
		}
	}
}

// TestFirefoxGroup: several processes share one clock and one file, and of a pid that
// comes again the second is another.
func TestFirefoxGroup(t *testing.T) {
	a, b := fixtures.Timed(), fixtures.Timed()
	b.Start = b.Start.Add(time.Second)
	var out bytes.Buffer
	if err := Write(&out, report.OfGroup(&profile.Group{Tool: "stacksnap 1.0", Profiles: []*profile.Profile{b, a}}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	f := readFirefox(t, out.Bytes())
	first, second := f.Threads[0], f.Threads[3]
	if len(f.Threads) != 6 || first.PID != "4242" || second.PID != "4242.1" || first.Samples.Time[0] != 1000 || second.Samples.Time[0] != 0 ||
		f.Meta.StartTime != float64(a.Start.UnixMilli()) {
		t.Errorf("%+v", f.Meta)
	}
}

// TestNoTimeline: without times there is an error, unless there are no threads.
func TestNoTimeline(t *testing.T) {
	for form, write := range timedWriters {
		var b bytes.Buffer
		if err := write(&b, report.Of(fixtures.Sampled()), words.Options{}); !errors.Is(err, timeline.ErrNoTimeline) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", form, err, b.Len())
		}
		if err := write(&b, report.Of(fixtures.NoThreads()), words.Options{}); err != nil || !json.Valid(b.Bytes()) {
			t.Errorf("%s: %v", form, err)
		}
		size := len(golden.Written(t, write, fixtures.Timed()))
		for _, room := range []int{0, 1, size / 2, size - 1} {
			if err := write(&fixtures.Full{Room: room}, report.Of(fixtures.Timed()), words.Options{}); !errors.Is(err, fixtures.ErrFull) {
				t.Errorf("%s, room for %d of %d bytes: %v", form, room, size, err)
			}
		}
	}
}

// timedWriters are those of forms that are about time.
var timedWriters = map[string]report.Writer{"firefox": Write, "chrome": chrome.Write}

// TestFirefoxGolden, of which readers_test.go has shown that the Profiler takes it.
func TestFirefoxGolden(t *testing.T) {
	golden.Check(t, "timed.profile.json", golden.Written(t, Write, fixtures.Timed()))
	golden.Check(t, "hostile.profile.json", golden.Written(t, Write, fixtures.TimedNamed("\x1b[2J\"</script>\n\xff\u202e;")))
}

// TestFirefoxNames: no name breaks the form.
func TestFirefoxNames(t *testing.T) {
	for kind, name := range fixtures.HostileNames {
		p := fixtures.TimedNamed(name)
		report := golden.Written(t, Write, p)
		if diff := cmp.Diff(counts.By(p, words.AreaLabel), readFirefox(t, report).counts(t)); diff != "" || bytes.Contains(report, []byte("<")) {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// TestFirefoxInlineDepth: a call inlined in one that was inlined is deeper than that.
func TestFirefoxInlineDepth(t *testing.T) {
	im := &profile.Image{Path: "/tmp/demo", Load: 0x400000, End: 0x402000}
	nodes := []*profile.Node{fixtures.At(im, "outer", 4, 0x400104), fixtures.At(im, "middle", 0, 0x400104), fixtures.At(im, "inner", 0, 0x400104)}
	nodes[1].Inlined, nodes[2].Inlined = true, true
	tables := newFirefoxTables()
	stacks := tables.stacksOf(&profile.Thread{Roots: fixtures.Stack(nodes...)})
	depths := map[string]int{}
	for at := stacks.of(nodes[2], task.Running); at != none; at = tables.stacks.All[at].prefix {
		f := tables.frames.All[tables.stacks.All[at].frame]
		depths[tables.strings.All[tables.funcs.All[f.fn].name]] = f.inlined
	}
	if want := map[string]int{"outer": 0, "middle": 1, "inner": 2}; !cmp.Equal(depths, want) {
		t.Errorf("%v", depths)
	}
}
