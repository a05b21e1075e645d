package jsondoc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"stacksnap/format/folded"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestReadJSON: what is read of a document is written as it was, in each form for people,
// too.
func TestReadJSON(t *testing.T) {
	for kind, make := range fixtures.Profiles {
		for how, p := range map[string]*profile.Profile{"": make(), " without inlined": make().WithoutInlined(), " merged": make().FoldThreads(), " by function": opened(make().ByFunction())} {
			document := golden.Written(t, Write, p)
			got, err := Read(bytes.NewReader(document))
			if err != nil {
				t.Errorf("%s%s: %v", kind, how, err)
				continue
			}
			want := strings.ReplaceAll(string(document), `\ufffd`, "\ufffd") // what were no UTF-8 is a character now
			if diff := gocmp.Diff(want, string(golden.Written(t, Write, got))); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", kind, how, diff)
			}
			if kind == "hostile" { // bytes that are not UTF-8 are lost in JSON
				continue
			}
			if diff := gocmp.Diff(string(golden.Written(t, folded.Write, p)), string(golden.Written(t, folded.Write, got))); diff != "" {
				t.Errorf("%s%s, folded (-want +got):\n%s", kind, how, diff)
			}
		}
	}
}

// opened makes a profile one of a report that tells less.
func opened(p *profile.Profile) *profile.Profile {
	for _, th := range p.Threads {
		for i, n := range th.Roots {
			n.By, n.More = unwind.ByReport, i%2 == 0
		}
	}
	return p
}

// TestReadJSONPlaces: what tells functions apart that have one name, or none.
func TestReadJSONPlaces(t *testing.T) {
	p := fixtures.Linux()
	for _, n := range p.Threads[0].Nodes() {
		n.Overload = "of ints"
	}
	for _, th := range p.Threads {
		for _, n := range th.Nodes() {
			if n.Function == "" {
				n.Start = n.PC - 7
			}
		}
	}
	got, err := Read(bytes.NewReader(golden.Written(t, Write, p)))
	if err != nil {
		t.Fatal(err)
	}
	unnamed := 0
	for i, th := range p.Threads {
		var want, read []profile.Location
		for _, n := range th.Nodes() {
			want = append(want, profile.Location{Function: n.Function, Overload: n.Overload, Start: n.Start})
			if n.Start != 0 {
				unnamed++
			}
		}
		for _, n := range got.Threads[i].Nodes() {
			read = append(read, profile.Location{Function: n.Function, Overload: n.Overload, Start: n.Start})
		}
		if diff := gocmp.Diff(want, read); diff != "" {
			t.Errorf("thread %d (-want +got):\n%s", i, diff)
		}
	}
	if unnamed == 0 {
		t.Error("all have names")
	}
}

// TestReadJSONTree: the report for people, of all that it shows of the fixtures.
func TestReadJSONTree(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"linux": fixtures.Linux(), "sampled": fixtures.Sampled(), "recursion": fixtures.Recursion(500)} {
		got, err := Read(bytes.NewReader(golden.Written(t, WriteLine, p)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(string(golden.Written(t, text.Tree, p)), string(golden.Written(t, text.Tree, got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestReadJSONRefuses what is no document, and what cannot be true, in a line.
func TestReadJSONRefuses(t *testing.T) {
	whole := string(golden.Written(t, WriteLine, fixtures.Linux()))
	changed := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for text, want := range map[string]string{
		"": "not a JSON document", "{}": "not a JSON document", "[1]": "not a JSON document", `{"a":1}`: "not a JSON document",
		"{\"app_name\":\"x\"}\n{\"threads\":[]}": "not a JSON document", `{"threads":[{"id":"x"}]}`: "not a JSON document",
		`{"schema":"stacksnap.group","version":1}`: "several processes", `{"schema":"stacksnap.diff"}`: "a diff already",
		whole[:len(whole)/2]: "ends early", whole + whole: "more than one",
		changed(`"version":2`, `"version":3`):        "version 3",
		changed(`"parent":0`, `"parent":1`):          "below node",
		changed(`"parent":-1`, `"parent":-2`):        "below node",
		changed(`"image":0`, `"image":9`):            "in image 9",
		changed(`"image":0`, `"image":-1`):           "in image -1",
		changed(`"self":0`, `"self":2`):              "its own",
		changed(`"count":1`, `"count":-1`):           "samples",
		changed(`"snapshots":1`, `"snapshots":-1`):   "a number is -1",
		changed(`"samples":1`, `"samples":-1`):       "a number is -1",
		changed(`"user_ns":`, `"user_ns":-`):         "a time is -",
		changed(`"address":"0x`, `"address":"zz`):    "no address",
		changed(`"threads":[`, `"threads":[7,`):      "read the document",
		changed(`"threads":[`, `"threads":{},"a":[`): "no list",
		changed(`"snapshots":1`, `"snapshots":1,"view":{"samples":3,"samples_left_out":0,"inverted":true}`): "--invert",
	} {
		p, err := Read(strings.NewReader(text))
		if err == nil || p != nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
		if (want == "not a JSON document") != errors.Is(err, ErrNotDocument) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	if p, err := Read(strings.NewReader(changed(`"snapshots":1`, `"snapshots":1,"view":{"samples":9,"samples_left_out":4}`))); err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), "4 of 9") {
		t.Errorf("%v, of a choice", err)
	}
}

// TestReadJSONTooMuch: the bounds.
func TestReadJSONTooMuch(t *testing.T) {
	const most = 40
	nodes := strings.Repeat(`{"parent":-1,"count":1},`, most/2)
	thread := `{"nodes":[` + strings.TrimSuffix(nodes, ",") + `]},`
	_, err := readJSON(strings.NewReader(`{"schema":"stacksnap.profile","threads":[`+strings.Repeat(thread, 3)), most)
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("nodes: %.100v", err)
	}
	heavy := `{"nodes":[{"parent":-1,"count":1125899906842624,"self":1125899906842624},{"parent":-1,"count":1,"self":1}]}`
	if _, err := Read(strings.NewReader(`{"schema":"stacksnap.profile","threads":[` + heavy)); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("samples: %v", err)
	}
}

// FuzzReadJSON: no document panics, and one that is read can be written and compared.
func FuzzReadJSON(f *testing.F) {
	for _, name := range []string{"linux.json", "sampled.json", "hostile.json", "darwin_merge.json", filepath.Join("formats", "several.json"), "darwin_queue.json"} {
		document, err := os.ReadFile(filepath.Join(golden.Testdata(), name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		p, err := Read(bytes.NewReader(document))
		if err != nil {
			return
		}
		golden.CheckRead(t, p, text.Tree, Write, folded.Write, pprof.Write, speedscope.Write, text.Summary)
	})
}

// TestReadJSONReceives: a report that was opened says as the first one that a run loop is idle.
func TestReadJSONReceives(t *testing.T) {
	w := &profile.Wait{Call: "mach_msg2", Object: "a message on port 0x707", Receives: true}
	th := &profile.Thread{ID: 1, Main: true, Samples: 1, State: task.Sleeping, Wait: w, States: profile.States{task.Sleeping: 1}}
	th.Roots = []*profile.Node{{Location: profile.Location{Function: "CFRunLoopRun"}, Count: 1, Self: 1}}
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{th}}
	document := golden.Written(t, Write, p)
	for want, from := range map[string]string{
		words.Headline(p): string(document),
		"main thread waits in mach_msg2: a message on port 0x707": strings.Replace(string(document), `"receives": true`, `"receives": false`, 1), // as of old
	} {
		if got, err := Read(strings.NewReader(from)); err != nil || words.Headline(got) != want {
			t.Errorf("%q, %v; want %q", words.Headline(got), err, want)
		}
	}
	if words.Headline(p) != "idle: main thread in mach_msg2" {
		t.Errorf("%q", words.Headline(p))
	}
}

// TestReadJSONNotRun: how long a wait has lasted is in a report that was opened, too.
func TestReadJSONNotRun(t *testing.T) {
	th := &profile.Thread{ID: 1, Main: true, Samples: 1, State: task.Sleeping, Wait: &profile.Wait{Call: "read"}, NotRun: 150 * time.Second}
	th.States[task.Sleeping] = 1
	p := &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{th}}
	got, err := Read(bytes.NewReader(golden.Written(t, Write, p)))
	if want := "main thread has waited at least 2 min in read"; err != nil || words.Headline(got) != want {
		t.Errorf("%q, %v; want %q", words.Headline(got), err, want)
	}
}

// TestReadJSONHalted: a report that was opened says as the first one that the target was stopped.
func TestReadJSONHalted(t *testing.T) {
	p := fixtures.Sampled()
	p.Halted = 7
	got, err := Read(bytes.NewReader(golden.Written(t, Write, p)))
	if err != nil || got.Halted != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	negative := strings.Replace(string(golden.Written(t, Write, p)), `"halted": 7`, `"halted": -7`, 1)
	if _, err := Read(strings.NewReader(negative)); err == nil || err.Error() != "a number is -7" {
		t.Errorf("%v", err)
	}
}

// TestReadJSONRuntimeNames: names that a runtime has for threads, and goroutines that they run, are in a document,
// and read of it.
func TestReadJSONRuntimeNames(t *testing.T) {
	th := &profile.Thread{ID: 1, Name: "python3", RuntimeName: "worker-3", Samples: 1, State: task.Sleeping, States: profile.States{task.Sleeping: 1}}
	th.Goroutine = task.Goroutine{ID: 7, Labels: []string{"handler", "/login"}}
	th.Same = []profile.ThreadName{{ID: 2, Name: "python3", RuntimeName: "worker-4", Goroutine: 8}}
	th.Roots = []*profile.Node{{Location: profile.Location{Function: "main"}, Count: 1, Self: 1}}
	got, err := Read(bytes.NewReader(golden.Written(t, Write, &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{th}})))
	if err != nil {
		t.Fatal(err)
	}
	if g := got.Threads[0]; g.Name != th.Name || g.RuntimeName != th.RuntimeName || g.Same[0] != th.Same[0] || !g.Goroutine.Equal(&th.Goroutine) {
		t.Errorf("%+v", g)
	}
}
