package apple

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/crash"
	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/images/object"
	"stacksnap/task"
)

// What is written of a profile is read again as it was.
func TestReadSample(t *testing.T) {
	p := read(t, []byte(written(t, appletest.Darwin())))
	want := appletest.Darwin().Target
	if diff := cmp.Diff(want, p.Target, cmp.Transformer("time", time.Time.UTC)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !p.Start.Equal(appletest.Darwin().Start) || !p.End.IsZero() || p.Interval != time.Millisecond || p.Snapshots != 100 || p.Tool != "stacksnap 1.0" {
		t.Errorf("from %v to %v every %v, %d snapshots by %s", p.Start, p.End, p.Interval, p.Snapshots, p.Tool)
	}
	if len(p.Notes) > 0 {
		t.Errorf("notes %q", p.Notes)
	}
	checkThreads(t, p)
	checkImages(t, p)
}

func checkThreads(t *testing.T, p *profile.Profile) {
	t.Helper()
	var got []string
	for _, th := range p.Threads {
		got = append(got, fmt.Sprintf("%d %q %q(%d,%s) main %t samples %d to %d", th.ID, th.Name, th.Queue, th.QueueSerial, th.QueueKind, th.Main, th.Samples, th.Last))
	}
	want := []string{
		`2155218 "" "com.apple.main-thread"(1,serial) main true samples 99 to -1`,
		`2155219 "" "com.apple.root.utility-qos"(17,concurrent) main false samples 100 to -1`,
		`2155221 "" "org.example.work"(90,serial) main false samples 100 to -1`,
		`2155300 "reader" ""(0,) main false samples 100 to -1`,
		`2155220 "late" ""(0,) main false samples 3 to -1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	last := p.Threads[3].Roots[1].Children[0]
	if want := []profile.Address{{PC: 0x188640004, Offset: 4}}; !slices.Equal(last.Also, want) || !last.More || last.PC != 0x188640008 || last.Offset != 8 || last.Self != 40 || last.Return {
		t.Errorf("%+v", last)
	}
	step := p.Threads[0].Roots[0].Children[0].Children[1].Children[0]
	if step.File != "Step.swift" || step.Line != 31 || step.Count != 8 || step.Self != 8 {
		t.Errorf("%+v", step)
	}
	if loop := p.Threads[0].Roots[0].Children[0].Children[1]; loop.Self != 0 || !loop.Return || loop.Count != 19 {
		t.Errorf("%+v", loop)
	}
}

func checkImages(t *testing.T, p *profile.Profile) {
	t.Helper()
	want := appletest.Darwin().Images
	want[1].Symbols = true
	for i, im := range want {
		if im.Arch, im.Symbols = task.ARM64, true; i >= len(p.Images) || !cmp.Equal(im, p.Images[i]) {
			t.Errorf("-want +got:\n%s", cmp.Diff(want, p.Images))
			return
		}
	}
	if p.Main != p.Images[0] {
		t.Errorf("main %v", p.Main)
	}
	for _, th := range p.Threads {
		for _, n := range th.Nodes() {
			if n.Image != nil && !slices.Contains(p.Images, n.Image) {
				t.Errorf("%+v is in an image that is not listed", n)
			}
		}
	}
}

func TestReadSampleOfLinux(t *testing.T) {
	p := read(t, []byte(written(t, appletest.Linux())))
	if p.Target.OS != task.Linux || !p.Threads[0].Main || p.Threads[1].Main || p.Interval != 0 || p.Target.ParentPID != 7 || p.Target.ParentName != "" {
		t.Errorf("%+v", p.Target)
	}
	if p.Threads[2].Empty != 1 || p.Threads[2].Err == "" || p.Threads[0].Empty != 0 {
		t.Errorf("%+v", p.Threads[2])
	}
	if pc := p.Threads[3].Roots[0].Children[0]; pc.Function != "" || pc.PC != 0 || pc.Placeless() {
		t.Errorf("%+v", pc)
	}
	if cut := p.Threads[1].Roots[0]; !cut.Placeless() || cut.Image != nil {
		t.Errorf("%+v", cut)
	}
	if !slices.Contains(p.Notes, "one thing") {
		t.Errorf("notes %q", p.Notes)
	}
	if got, want := graphOf(written(t, p)), graphOf(written(t, appletest.Linux())); !slices.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// Of a report that ends somewhere, what was there is as it was, and what is missing is
// said.
func TestReadSampleCutShort(t *testing.T) {
	whole := written(t, appletest.Darwin())
	begin := strings.Index(whole, "Call graph:")
	end := strings.Index(whole, "Total number")
	lines := graphOf(whole)
	for n := len(analysisOf); n < len(whole); n++ {
		p := read(t, []byte(whole[:n]))
		cut := slices.ContainsFunc(p.Notes, func(note string) bool { return strings.Contains(note, "ends within") })
		if n < end != cut && n > end+len("Total number in stack") {
			t.Fatalf("%d of %d bytes: notes %q", n, len(whole), p.Notes)
		}
		for _, th := range p.Threads {
			for _, node := range th.Nodes() {
				if node.Count != node.Self+sum(node.Children) {
					t.Fatalf("%d bytes: %+v", n, node)
				}
			}
		}
		if n < begin || n > end || whole[n-1] != '\n' {
			continue
		}
		p.Threads = append(p.Threads, &profile.Thread{ID: 1 << 63, Name: further})
		if got := graphOf(written(t, p)); len(got) > 1 && !prefix(got, lines) {
			t.Fatalf("%d bytes: %s", n, cmp.Diff(lines, got))
		}
	}
}

// prefix reports whether lines are the first ones of others, but for the glyphs of what
// is behind the end.
func prefix(got, of []string) bool {
	bare := func(s string) string { return strings.TrimLeft(s, " +!:|") }
	for i := range got {
		if i >= len(of) || bare(got[i]) != bare(of[i]) || len(got[i]) != len(of[i]) {
			return false
		}
	}
	return true
}

func TestReadSampleWithoutImages(t *testing.T) {
	text, _, _ := strings.Cut(written(t, appletest.Darwin()), "\nBinary Images:")
	p := read(t, []byte(text))
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "no list of images") {
		t.Errorf("notes %q", p.Notes)
	}
	byName := map[string]*profile.Image{}
	for _, im := range p.Images {
		byName[im.Name()] = im
	}
	if len(byName) != 5 || byName["dyld"].Placed() {
		t.Errorf("images %v", byName)
	}
	tray := byName["tray"]
	want := object.Bundle{ID: "org.example.tray", Version: "1.2", Build: "34"}
	if tray != p.Main || tray.Load != 0x102a50000 || tray.End != 0x102ad6d2d || tray.Path != appletest.Darwin().Main.Path || tray.Bundle != want {
		t.Errorf("%+v", tray)
	}
}

func TestReadSampleOdd(t *testing.T) {
	const graph = "Call graph:\n    5 Thread_1\n      5 a  (in x) + 1  [0x1001]\n"
	for name, c := range map[string]struct {
		text string
		want string // a note
	}{
		"odd indent":      {graph + "       1 b  (in x) + 2  [0x1002]\nTotal number in stack:\n", "could not be read: 1"},
		"skipped level":   {graph + "          1 b  (in x) + 2  [0x1002]\nTotal number in stack:\n", "could not be read: 1"},
		"no count":        {graph + "        x b  (in x) + 2  [0x1002]\nTotal number in stack:\n", "could not be read: 1"},
		"huge count":      {graph + "        9999999999999 b\nTotal number in stack:\n", "could not be read: 1"},
		"no margin":       {graph + "  1 b\nTotal number in stack:\n", "could not be read: 1"},
		"before a thread": {"Call graph:\n      5 a\nTotal number in stack:\n", "could not be read: 1"},
		"a second report": {graph + "Total number in stack:\n\n" + analysisOf + "y (pid 2) once\n", "only the first is shown"},
		"no graph":        {"", "ends within"},
	} {
		p := read(t, []byte(analysisOf+"x (pid 1) once\n"+c.text))
		if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, c.want) }) {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
	}
}

// Apple's own forms that are not in the golden reports.
func TestReadSampleForms(t *testing.T) {
	p := read(t, []byte(strings.ReplaceAll(`Sampling process 9 for 1 second with 1 millisecond of run time between samples
Analysis of sampling My App (2) (pid 9) every 10 milliseconds
Process:         My App (2) [9]
Code Type:       X86-64 (translated)
Dispatch Thread Soft Limit: 64 reached in 3 of 5 samples

Call graph:
    7 Thread_<multiple>   DispatchQueue_12: a queue  (serial)
    + 7 f  (in L (1).dylib) + 8, 0, ...  [0x1008, 0x1000, ...]  a b.c:12,3
    7 Thread_af03: Main Thread   DispatchQueue_<multiple>
    + 7 g + 4  [0x2004]
    7 odd
      7 h  (in x)

Total number in stack
Binary Images:
            0x1000 -             0x1fff  L (1).dylib (5 - ???) <0123> /usr/lib/L (1).dylib
            0x3000 -             0x3fff +org.x (???)  /x (y) /z
            what is this
`, "\n", "\r\n")))
	if p.Target.Name != "My App (2)" || p.Target.PID != 9 || p.Interval != 10*time.Millisecond || !p.Target.Translated || p.Target.Arch != task.AMD64 {
		t.Errorf("%+v %v", p.Target, p.Interval)
	}
	if len(p.Notes) != 1 || !strings.HasPrefix(p.Notes[0], "Dispatch Thread Soft Limit: 64") {
		t.Errorf("notes %q", p.Notes)
	}
	if a := p.Threads[0]; a.ID != 0 || a.Queue != "a queue" || a.QueueSerial != 12 || a.QueueKind != "serial" {
		t.Errorf("%+v", a)
	}
	if f := p.Threads[0].Roots[0]; !f.More || f.File != "a b.c" || f.Line != 12 || f.Image != p.Images[1] || f.Also[0].PC != 0x1000 {
		t.Errorf("%+v", f)
	}
	if b := p.Threads[1]; b.ID != 0xaf03 || !b.Main || b.Queue != "<multiple>" || b.Roots[0].Offset != 4 || b.Roots[0].Function != "g" {
		t.Errorf("%+v", b)
	}
	if c := p.Threads[2]; c.Name != "odd" || c.Roots[0].Function != "h" || c.Roots[0].Image == nil {
		t.Errorf("%+v", c)
	}
	if im := p.Images[1]; len(p.Images) != 3 || p.Images[0].Path != "x" || im.Bundle != (object.Bundle{Version: "5", Build: "???"}) || p.Images[2].Path != "/x (y) /z" {
		t.Errorf("%+v", p.Images)
	}
}

func TestNoReport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "text": "an Analysis of sampling x\n", "late": strings.Repeat("\n", notation.HeadSize) + analysisOf} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(file); !errors.Is(err, crash.ErrNotReport) || Is(file) {
			t.Errorf("%s: %v, %t", name, err, Is(file))
		}
	}
	if _, err := Open(dir); err == nil || Is(dir) {
		t.Error("a folder is opened")
	}
	if !Is("testdata/darwin.txt") {
		t.Error("a report is none")
	}
}

func FuzzReadSample(f *testing.F) {
	for name, p := range profiles {
		var b bytes.Buffer
		if err := Sample(&b, report.Of(p()), words.Options{}); err != nil {
			f.Fatal(name, err)
		}
		text := b.Bytes()[:min(b.Len(), 4<<10)] // short ones are soon changed
		f.Add(text)
		f.Add(text[:len(text)*2/3])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := readOne(text)
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := Sample(&first, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		again, err := readOne(first.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if err := Sample(&second, report.Of(again), words.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSampleOfOneSnapshot has no interval, whatever its header says; of two it has.
func TestSampleOfOneSnapshot(t *testing.T) {
	for count, want := range map[string]time.Duration{"1": 0, "2": 10 * time.Millisecond} {
		p := read(t, []byte("Analysis of sampling it (pid 9) every 10 milliseconds\nProcess:         it [9]\n\nCall graph:\n    "+count+
			" Thread_1\n    + "+count+" wait  (in it) + 8  [0x108]\n\nTotal number in stack\n"))
		if p.Interval != want {
			t.Errorf("of %s: %v", count, p.Interval)
		}
	}
}
