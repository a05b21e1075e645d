package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/jsonstream"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// readEvent is an event of Chrome's, with the arguments of all phases.
type readEvent struct {
	Name  string   `json:"name"`
	Phase string   `json:"ph"`
	Cat   string   `json:"cat"`
	PID   uint64   `json:"pid"`
	TID   uint64   `json:"tid"`
	ID    string   `json:"id"`
	Time  float64  `json:"ts"`
	For   *float64 `json:"dur"`
	Args  struct {
		Name      string
		Found     string
		SortIndex int `json:"sort_index"`
		Data      struct {
			StartTime  *int64
			CPUProfile struct {
				Nodes   []chromeNode
				Samples []int
			}
			TimeDeltas []int64
		}
	} `json:"args"`
}

// readChrome reads a file as Perfetto does: unknown events, times and parents that come
// later are errors.
func readChrome(t *testing.T, report []byte) (events []readEvent) {
	t.Helper()
	var f struct {
		TraceEvents []readEvent
		Metadata    map[string]string
	}
	if err := json.Unmarshal(report, &f); err != nil {
		t.Fatal(err)
	}
	for _, e := range f.TraceEvents {
		if !strings.Contains("MPTXbe", e.Phase) || e.Cat == "" || e.PID == 0 || e.PID >= 1<<32 || e.TID == 0 || e.TID >= 1<<32 || (e.For == nil) == strings.Contains("TX", e.Phase) {
			t.Errorf("%+v", e)
		}
	}
	return f.TraceEvents
}

// chromeSample is one of a thread, with its stack from the outermost frame in.
type chromeSample struct {
	At    int64
	Stack string
}

// chromeSamples are those of each thread, in microseconds.
func chromeSamples(t *testing.T, events []readEvent) map[uint64][]chromeSample {
	t.Helper()
	type key struct {
		pid uint64
		id  string
	}
	at, stacks, all := map[key]int64{}, map[int]string{}, map[uint64][]chromeSample{}
	for _, e := range events {
		if e.Phase != "P" {
			continue
		}
		d, k := e.Args.Data, key{e.PID, e.ID}
		if d.StartTime != nil {
			at[k] = *d.StartTime
			continue
		}
		if _, ok := at[k]; !ok || len(d.CPUProfile.Samples) != len(d.TimeDeltas) {
			t.Errorf("a chunk of no profile, or with %d samples and %d times", len(d.CPUProfile.Samples), len(d.TimeDeltas))
		}
		for _, n := range d.CPUProfile.Nodes {
			above, ok := stacks[n.Parent]
			if _, twice := stacks[n.ID]; twice || !ok && n.Parent != 0 {
				t.Errorf("node %d below %d", n.ID, n.Parent)
			}
			stacks[n.ID] = above + ";" + n.Frame.Function
		}
		for i, s := range d.CPUProfile.Samples {
			at[k] += d.TimeDeltas[i]
			all[e.TID] = append(all[e.TID], chromeSample{at[k], strings.TrimPrefix(stacks[s], ";(root);")})
		}
	}
	return all
}

// TestChromeSamples: each sample is there at its time, with its stack, and nothing lasts
// longer than until the next snapshot.
func TestChromeSamples(t *testing.T) {
	whole := fixtures.Timed()
	for kind, p := range map[string]*profile.Profile{"timed": whole, "focus": whole.Select(fixtures.Matching("tiny"), nil, fixtures.Matching("main"))} {
		got := chromeSamples(t, readChrome(t, golden.Written(t, Write, p)))
		for th := range words.ThreadsByFunction(p) {
			paths := map[*profile.Node]string{nil: words.NoStack}
			var path []string
			for depth, n := range th.Nodes() {
				if depth == 0 && n.Cut != nil {
					path = append(path[:0], words.CutLabel(n.Cut)+";"+words.Label(n))
				} else {
					path = append(path[:depth], words.Label(n))
				}
				paths[n] = strings.Join(path, ";")
			}
			var want []chromeSample
			until := time.Duration(-1)
			for m := range p.Moments(th) {
				if until >= 0 && m.At != until {
					want = append(want, chromeSample{until.Microseconds(), noSample})
				}
				want = append(want, chromeSample{m.At.Microseconds(), paths[m.Node]})
				until = m.Until
			}
			if until >= 0 {
				want = append(want, chromeSample{until.Microseconds(), noSample})
			}
			if diff := cmp.Diff(want, got[uint64(th.ID)]); diff != "" {
				t.Errorf("%s, thread %d (-want +got):\n%s", kind, th.ID, diff)
			}
		}
	}
}

// TestChromeChunks: many samples are in several events, and the times go on.
func TestChromeChunks(t *testing.T) {
	var b bytes.Buffer
	o := &chromeWriter{Stream: jsonstream.New(&b), pid: 1}
	o.Text("[")
	c := &chromeChunks{writer: o, head: chromeEvent{Name: "ProfileChunk", Phase: "P", Category: "x", TID: 1, ID: "0x1"}}
	for i := range chunkSamples + 3 {
		c.add(i, time.Duration(i)*1500)
	}
	c.end()
	o.Text("]")
	_ = o.Out.Flush()
	var events []readEvent
	if err := json.Unmarshal(b.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	n, at := 0, int64(0)
	for _, e := range events {
		for i, s := range e.Args.Data.CPUProfile.Samples {
			if at += e.Args.Data.TimeDeltas[i]; s != n || at != int64(n)*1500/1000 {
				t.Fatalf("sample %d is %d at %d", n, s, at)
			}
			n++
		}
	}
	if len(events) != 2 || n != chunkSamples+3 {
		t.Errorf("%d samples in %d events", n, len(events))
	}
}

// TestChromeSlices are states, waits and hangs of threads, and deadlocks of the process.
func TestChromeSlices(t *testing.T) {
	p := fixtures.Timed()
	p.Deadlocks = []profile.Deadlock{{From: time.Second, To: 2 * time.Second, Looks: 2, Waiters: []profile.Waiter{
		{ID: 4243, Wait: profile.Wait{Lock: profile.Mutex, Addr: 16, Owner: 4243}}}}}
	rows := map[string]bool{}
	for _, e := range readChrome(t, golden.Written(t, Write, p)) {
		if e.Phase == "P" {
			continue
		}
		row := fmt.Sprintf("%d %s %s%s%s at %v", e.TID, e.Phase, e.Name, e.Args.Name, e.Args.Found, e.Time)
		if e.For != nil {
			row += fmt.Sprintf(" for %v", *e.For)
		}
		rows[row] = true
	}
	for _, want := range []string{
		"4242 M process_nameworker [4242] at 0", "4243 M thread_nameThread 4243 worker at 0",
		"4242 T S at 0 for 100000", "4242 T R at 100000 for 400000", "4242 T S at 500000 for 100000", "4243 T S at 0 for 600000",
		"4244 T D at 200000 for 100000", "4242 X waits in epoll_wait: fd 5by 1 check at 0 for 100000", "4242 X hangin 40 samples at 100000 for 400000",
		`4243 X waits for mutex 0x7f0010, held by thread 4242 "demo"by 4 checks at 0 for 600000`,
		"4242 b deadlock at 1e+06", "4242 e deadlock at 2e+06",
	} {
		if !rows[want] {
			t.Errorf("no %q in %v", want, rows)
		}
	}
}

// TestChromeIDs: an id that was used, or that Perfetto would not take, is another one.
func TestChromeIDs(t *testing.T) {
	o := &chromeWriter{ids: map[uint64]bool{}}
	got := []uint64{o.unique(7), o.unique(7), o.unique(1 << 40), o.unique(0), o.unique(8)}
	if want := []uint64{7, 1<<31 + 1, 1 << 31, 1<<31 + 2, 8}; !cmp.Equal(got, want) {
		t.Errorf("%v", got)
	}
	a, b := fixtures.Timed(), fixtures.Timed()
	b.Start = b.Start.Add(time.Second)
	var out bytes.Buffer
	if err := Write(&out, report.OfGroup(&profile.Group{Profiles: []*profile.Profile{b, a}}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	pids, tids, first := map[uint64]bool{}, map[uint64]bool{}, 1e9
	for _, e := range readChrome(t, out.Bytes()) {
		pids[e.PID], tids[e.TID] = true, true
		if e.PID == 4242 && e.Phase == "T" {
			first = min(first, e.Time)
		}
	}
	if len(pids) != 2 || len(tids) != 6 || first != 1e6 {
		t.Errorf("pids %v, tids %v, from %v", pids, tids, first)
	}
}

// TestChromeGolden, of which readers_test.go has shown that speedscope takes it.
func TestChromeGolden(t *testing.T) {
	golden.Check(t, "timed.trace.json", golden.Written(t, Write, fixtures.Timed()))
	golden.Check(t, "hostile.trace.json", golden.Written(t, Write, fixtures.TimedNamed("\x1b[2J\"</script>\n\xff\u202e;")))
}

// TestChromeNames: no name breaks the form.
func TestChromeNames(t *testing.T) {
	for kind, name := range fixtures.HostileNames {
		report := golden.Written(t, Write, fixtures.TimedNamed(name))
		if n := len(chromeSamples(t, readChrome(t, report))); n != 3 || bytes.Contains(report, []byte("<")) {
			t.Errorf("%s: %d threads", kind, n)
		}
	}
}
