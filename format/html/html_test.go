package html

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

var update = flag.Bool("update", false, "write the golden files")

func written(t *testing.T, p *profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	dataElement   = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
	scriptElement = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styleElement  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	policyElement = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
)

// element returns what is in the one element of a kind.
func element(t *testing.T, kind *regexp.Regexp, page string) string {
	t.Helper()
	all := kind.FindAllStringSubmatch(page, -1)
	if len(all) != 1 {
		t.Fatalf("%d of %v", len(all), kind)
	}
	return all[0][1]
}

// TestPolicy: the page's own script and style may run, and nothing else may anything.
func TestPolicy(t *testing.T) {
	page := written(t, sampled())
	want := "default-src 'none'; script-src '" + hash(element(t, scriptElement, page)) + "'; style-src '" + hash(element(t, styleElement, page)) + "'; base-uri 'none'; form-action 'none'"
	if got := element(t, policyElement, page); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if strings.Index(page, "Content-Security-Policy") > strings.Index(page, "<style>") {
		t.Error("the policy comes after what it is for")
	}
	// As openssl has it: printf abc | openssl dgst -sha256 -binary | base64.
	if got := hash("abc"); got != "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" {
		t.Error(got)
	}
}

// TestNothingIsAskedFor: no part of the page names another place, and none makes markup
// of text.
func TestNothingIsAskedFor(t *testing.T) {
	entries, err := assets.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|https?:|url\(|@import|fetch\(|XMLHttp|\bimport\b| src=| href=|style="| on[a-z]+="|localStorage`)
	named := map[string]bool{"body.html": true, "style.css": true}
	for _, name := range scripts {
		named[name] = true
	}
	for _, e := range entries {
		text, err := asset(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, `"http://www.w3.org/2000/svg"`, "") // a name, and no place
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s has %q", e.Name(), found)
		}
		if strings.Contains(text, "</script") || strings.Contains(text, "<!--") {
			t.Errorf("%s ends the element that it is in", e.Name())
		}
		if !named[e.Name()] {
			t.Errorf("%s is no part of the page", e.Name())
		}
	}
}

// TestHostileNames stay in the data.
func TestHostileNames(t *testing.T) {
	p := sampled()
	p.Target.Name = hostile
	p.Tool = hostile
	p.Notes = []string{hostile}
	p.Images[0].Path = "/opt/" + hostile
	for _, th := range p.Threads {
		th.Name, th.Queue, th.Err = hostile, hostile, hostile
		for _, n := range th.Nodes() {
			n.Function, n.File, n.Why = hostile, hostile, hostile
		}
	}
	page := written(t, p)
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	document := element(t, dataElement, page)
	if strings.ContainsAny(document, "<>&\u2028\u202e\x1b") {
		t.Error("the data are not escaped")
	}
	if !strings.Contains(page, "<title>&lt;/script&gt;") {
		t.Error("the title is not escaped")
	}
	if d := read(t, page); !strings.HasPrefix(d.Frames[0][0].(string), "</script><script>") {
		t.Errorf("%q", d.Frames[0])
	}
}

// hostile is a name that would be a program if anything took it for markup, with what
// harms terminals and lines.
const hostile = "</script><script>taken()</script><!--\" '&lt;\u2028\u202e\x1b[2J\xff\n"

// TestGoldenData is what the page is given. That it shows that is for scripts/browser.
func TestGoldenData(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"sampled": sampled(), "deadlock": deadlocked(), "inverted": sampled().Invert()} {
		golden := filepath.Join("testdata", name+".json")
		got := element(t, dataElement, written(t, p))
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v (-want +got; go test -update writes it)\n%s", name, err, cmp.Diff(string(want), got))
		}
	}
}

// document is what the page reads.
type document struct {
	Title, Summary, Tool string
	Facts                [][2]string
	Deadlocks            []deadlock
	Processes            []struct {
		Header  header
		Threads []struct {
			About thread
			Nodes []int64
		}
	}
	Images  []string
	Frames  [][]any
	Remarks [][2]string
}

func read(t *testing.T, page string) *document {
	t.Helper()
	d := &document{}
	if err := json.Unmarshal([]byte(element(t, dataElement, page)), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCounts: all samples and all time of each thread are in its nodes, and each
// node is below one.
func TestCounts(t *testing.T) {
	for _, p := range []*profile.Profile{sampled(), deadlocked(), sampled().Invert(), sampled().FoldThreads()} {
		d := read(t, written(t, p))
		for i, th := range d.Processes[0].Threads {
			samples, wall, last := int64(0), int64(0), int64(-1)
			for at := 0; at < len(th.Nodes); at += 6 {
				if depth := th.Nodes[at]; depth < 0 || depth > last+1 {
					t.Errorf("thread %d: depth %d after %d", i, depth, last)
				}
				last = th.Nodes[at]
				if f, r := th.Nodes[at+1], th.Nodes[at+2]; int(f) >= len(d.Frames) || int(r) >= len(d.Remarks) {
					t.Errorf("frame %d, remark %d", f, r)
				}
				samples, wall = samples+th.Nodes[at+3], wall+th.Nodes[at+4]
			}
			if want := int64(p.Threads[i].Samples * p.Threads[i].Weight()); samples != want {
				t.Errorf("thread %d: %d samples, want %d", i, samples, want)
			}
			s := p.Threads[i].Spent
			if want := (s.OnCPU + s.Queued + s.Blocked).Nanoseconds(); p.Sampled() && wall != want {
				t.Errorf("thread %d: %d ns, want %d", i, wall, want)
			}
		}
	}
}

// TestAlikeThreads are one entry, but of samples, in which each has times of its own.
func TestAlikeThreads(t *testing.T) {
	for _, c := range []struct{ alike, snapshots, want int }{{0, 1, 4}, {3, 1, 2}, {4, 1, 4}, {3, 2, 4}} {
		p := &profile.Profile{Snapshots: c.snapshots}
		for id := range 4 {
			p.Threads = append(p.Threads, &profile.Thread{ID: task.ThreadID(id + 1), Main: id == 0, State: task.Sleeping, Samples: c.snapshots})
		}
		var b bytes.Buffer
		if err := Write(&b, report.Of(p), words.Options{Alike: c.alike}); err != nil {
			t.Fatal(err)
		}
		if got := len(read(t, b.String()).Processes[0].Threads); got != c.want {
			t.Errorf("%+v: %d threads", c, got)
		}
	}
}

// TestFirstRemark says nothing: it is what the page takes where remarks differ.
func TestFirstRemark(t *testing.T) {
	p := sampled()
	p.Threads[0].Roots[0].Inlined = true
	if d := read(t, written(t, p)); d.Remarks[0] != [2]string{} || d.Remarks[1] == [2]string{} {
		t.Errorf("%q", d.Remarks)
	}
}

// TestGroup has each process, and what of the others is missing.
func TestGroup(t *testing.T) {
	var b bytes.Buffer
	g := &profile.Group{Tool: "stacksnap", Profiles: []*profile.Profile{sampled(), deadlocked()}, Missing: []profile.Missing{{PID: 9, Why: "process 9 is gone"}}}
	if err := Write(&b, report.OfGroup(g), words.Options{}); err != nil {
		t.Fatal(err)
	}
	d := read(t, b.String())
	if len(d.Processes) != 2 || d.Title != "demo [77] and 1 more" || d.Facts[1] != [2]string{"Missing", "process 9 is gone"} {
		t.Errorf("%s: %v", d.Title, d.Facts)
	}
	b.Reset()
	if err := Write(&b, report.OfGroup(&profile.Group{}), words.Options{}); err != nil || len(read(t, b.String()).Processes) != 0 {
		t.Errorf("none: %v", err)
	}
}

// TestDeadlockOfProcesses tells of each thread in which process it is.
func TestDeadlockOfProcesses(t *testing.T) {
	g := &profile.Group{Profiles: []*profile.Profile{sampled(), deadlocked()}}
	g.Profiles[1].Target.PID = 78
	g.Deadlocks = []profile.Deadlock{{Waiters: []profile.Waiter{{ID: 2, PID: 78, Process: "b"}, {ID: 1, PID: g.Profiles[0].Target.PID, Process: "a"}, {ID: 9, PID: 9}}}}
	var b bytes.Buffer
	if err := Write(&b, report.OfGroup(g), words.Options{}); err != nil {
		t.Fatal(err)
	}
	d := read(t, b.String())
	for i, want := range []int{1, 0, -1} {
		if w := d.Deadlocks[0].Waiters[i]; w.Process == nil || *w.Process != want {
			t.Errorf("%+v, want process %d", w, want)
		}
	}
}

// limited is full after so many bytes, and remembers the largest piece.
type limited struct{ room, largest int }

var errFull = errors.New("full")

func (l *limited) Write(b []byte) (int, error) {
	l.largest = max(l.largest, len(b))
	if l.room -= len(b); l.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestStreams: what is written goes out as it is made, and an error of it comes back.
func TestStreams(t *testing.T) {
	wide := &limited{room: 1 << 30}
	if err := Write(wide, report.Of(many(60_000)), words.Options{}); err != nil {
		t.Fatal(err)
	}
	if sent := 1<<30 - wide.room; wide.largest > 1<<20 || sent < 1<<20 {
		t.Errorf("%d bytes of %d at once", wide.largest, sent)
	}
	for _, room := range []int{0, 5_000, 200_000, 1<<30 - wide.room - 1} {
		if err := Write(&limited{room: room}, report.Of(many(60_000)), words.Options{}); !errors.Is(err, errFull) {
			t.Errorf("room for %d: %v", room, err)
		}
	}
	if err := Write(io.Discard, report.Of(&profile.Profile{}), words.Options{}); err != nil {
		t.Error(err)
	}
}

// TestTasks: the page has a section of the tasks that no thread runs, with their frames.
func TestTasks(t *testing.T) {
	p := sampled()
	im := &profile.Image{Path: "/srv/worker", Main: true}
	frame := func(function string) *profile.Node {
		return &profile.Node{Location: profile.Location{Function: function, Image: im, File: "/src/it.go", Line: 31}, PC: 1}
	}
	p.Tasks = []*profile.Task{
		{
			Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Count: 5000,
			Path: []*profile.Node{frame("runtime.goexit"), frame("main.worker"), frame("runtime.chanrecv1"), frame("runtime.gopark")},
		},
		{Runtime: "Go 1.26.1", ID: 2, System: true, Count: 3, Path: []*profile.Node{frame("runtime.gcBgMarkWorker")}},
		{Runtime: "CPython 3.12.1", ID: 9, Name: hostile, Wait: hostile, Count: 1},
	}
	got := read(t, written(t, p)).Processes[0].Header.Tasks
	want := []tasks{{
		Title:   "5,000 goroutines that no thread ran at the end of the sampling (Go 1.26.1):",
		Entries: []entry{{"5,000 goroutines in chan receive", []string{"main.worker (worker) (it.go:31)", "runtime.chanrecv1 (worker) (it.go:31)"}}},
		Rest:    []string{"and 3 of the runtime itself"},
	}}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	if d := cmp.Diff(want, got[:1]); d != "" {
		t.Error(d)
	}
	if e := got[1].Entries; len(e) != 1 || strings.ContainsAny(e[0].Title, "\n\x1b\u202e") {
		t.Errorf("%q", e)
	}
}
