package crash

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
	"unicode"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

func writtenCrash(t *testing.T, p *profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCrashGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"crashed": crashed(), "linux": appletest.Linux()} {
		appletest.CheckGolden(t, name+".crash", writtenCrash(t, p))
	}
}

// contents lists what a crash report has: the process, its end, threads by their numbers,
// frames and images.
func contents(p *profile.Profile) (list []string) {
	t := &p.Target
	list = append(list, fmt.Sprintf("process %q %d %q %v %t of %q %d user %v on %q %q", t.Name, t.PID, t.Path, t.Arch, t.Translated, t.ParentName, t.ParentPID, t.User, t.OSVersion, t.Machine.Model))
	list = append(list, fmt.Sprintf("at %v from %v by %s, notes %q", p.Start.UTC().Truncate(time.Millisecond), t.Start.UTC().Truncate(time.Millisecond), p.Tool, p.Notes))
	if c := t.Crash; c != nil {
		list = append(list, fmt.Sprintf("ended by %q %q", c.Signal, c.Detail))
	}
	c := newTextWriter(nil, p)
	threads := append(slices.Clone(c.threads), c.thrown...)
	for i, th := range threads {
		list = append(list, fmt.Sprintf("thread %d %q %q main %t crashed %t empty %d", i, th.Name, th.Queue, th.Main, th == c.crashed, th.Empty))
		for depth, n := range th.Nodes() {
			im := "-"
			if n.Image != nil && n.Image.Placed() {
				im = n.Image.Path
			}
			list = append(list, fmt.Sprintf("%d %s+%d %v in %s inlined %t %s:%d", depth, n.Function, n.Offset, n.PC, im, n.Inlined, notation.SourceFile(n.File), n.Line))
		}
	}
	for _, im := range p.Images {
		if im.Placed() {
			list = append(list, fmt.Sprintf("image %v-%v %x %s %+v main %t", im.Load, im.End, im.ID, im.Path, im.Bundle, im.Main))
		}
	}
	return list
}

// What is written of a profile is read again as it was, but for the ids of threads.
func TestCrashIsReadAsItWas(t *testing.T) {
	other := crashed()
	other.Target.Crash = nil
	other.Notes = []string{"ended by Namespace SIGNAL, Code 6", "application: one", "application: two", "Thread 9:", "Binary Images:"}
	for name, p := range map[string]*profile.Profile{"crashed": crashed(), "alive": other} {
		got := read(t, []byte(writtenCrash(t, p)))
		sortNotes(p, got)
		if diff := cmp.Diff(contents(p), contents(got)); diff != "" {
			t.Errorf("%s -want +got:\n%s", name, diff)
		}
	}
}

// sortNotes puts the notes of profiles into one order.
func sortNotes(profiles ...*profile.Profile) {
	for _, p := range profiles {
		slices.Sort(p.Notes)
	}
}

// Real reports that are read, written and read again are the same.
func TestCrashIsWrittenAsItWas(t *testing.T) {
	folder := os.Getenv(appletest.ReportsVariable)
	if folder == "" {
		folder = "/work/shared/reports"
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.crash"))
	if len(files) == 0 {
		t.Logf("no .crash files are in %s (%s names another folder): only our own are tried", folder, appletest.ReportsVariable)
	}
	texts := map[string][]byte{"mac": []byte(macCrash), "phone": []byte(phoneCrash)}
	for _, file := range append(files, "testdata/crashed.crash", "testdata/linux.crash") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = text
	}
	for name, text := range texts {
		p, err := readOne(text)
		if errors.Is(err, ErrNotReport) || err == nil && p.Sampled() {
			continue // of sample or spindump, which tools have named so
		}
		written := writtenCrash(t, p)
		again, err := readOne([]byte(written))
		if err != nil {
			t.Errorf("%s: %v\n%.3000s", name, err, written)
			continue
		}
		sortNotes(p, again)
		want, got := contents(p), contents(again)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 8 {
			t.Errorf("%s -want +got:\n%s", name, diff)
		}
	}
}

func TestCrashOfCrashes(t *testing.T) {
	for _, c := range []task.Crash{
		{Signal: "SIGTRAP", Detail: "EXC_BREAKPOINT: 0x0000000000000001, 0x000000018a98520c"}, {Signal: "SIGSEGV", Detail: "address 0x10 not mapped"},
		{Signal: "SIGBUS", Detail: "EXC_BAD_ACCESS", Thread: 2155300}, {Signal: "SIGABRT"}, {Signal: "SIGABRT", Thread: 2155218},
		{Signal: "SIGBUS", Detail: "EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x10, codes 0x0000000000000001, 0x0000000000000010"},
	} {
		p := crashed()
		p.Target.Crash = &c
		got := read(t, []byte(writtenCrash(t, p)))
		if g := got.Target.Crash; g.Signal != c.Signal || g.Detail != c.Detail {
			t.Errorf("%+v, want %+v", g, c)
		}
		number := newTextWriter(nil, got)
		if wanted := slices.IndexFunc(p.Threads, func(th *profile.Thread) bool { return c.Thread != 0 && th.ID == c.Thread }); slices.Index(number.threads, number.crashed) != wanted {
			t.Errorf("crashed in %+v, want number %d", number.crashed, wanted)
		}
	}
}

// The main thread is number 0, wherever it is, and no other is.
func TestCrashNumbers(t *testing.T) {
	p := crashed()
	slices.Reverse(p.Threads)
	if got := read(t, []byte(writtenCrash(t, p))); got.Threads[0].Queue != notation.MainQueue || !got.Threads[0].Main || got.Threads[0].ID != 0 {
		t.Errorf("%+v", got.Threads[0])
	}
	p.Threads = slices.DeleteFunc(p.Threads, func(th *profile.Thread) bool { return th.Main })
	got := read(t, []byte(writtenCrash(t, p)))
	if first := got.Threads[0]; first.ID != 1 || first.Main || got.Target.Crash.Thread != 2 {
		t.Errorf("%+v, crashed in %d", first, got.Target.Crash.Thread)
	}
}

// What may be wrong of a stack is said, for the text has no place for it.
func TestCrashDoubts(t *testing.T) {
	text := writtenCrash(t, appletest.Linux())
	for _, want := range []string{
		"one thing\n", "threads that appeared too fast to be captured: 2\n",
		"thread 1: callers are missing: stack not captured further at 0x7f10a2bff000\n", "thread 1: frames that may be wrong: 0\n",
	} {
		if _, notes, _ := strings.Cut(text, notesTitle); !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
}

// Of nothing there is a report, which is read again.
func TestCrashWithoutThreads(t *testing.T) {
	p := read(t, []byte(writtenCrash(t, &profile.Profile{Tool: "stacksnap 1.0", Snapshots: 1})))
	if len(p.Threads) != 0 || p.Tool != "stacksnap 1.0" || p.Target.Crash != nil {
		t.Errorf("%+v", p)
	}
}

// Xcode shows an .ips file with the text in the place of its document.
func TestReadCrashBelowHeader(t *testing.T) {
	p := read(t, []byte(`{"bug_type":"309","name":"tray"}`+"\n"+strings.TrimPrefix(phoneCrash, phoneCrash[:strings.Index(phoneCrash, "\n")+1])))
	if p.Target.PID != 7 || len(p.Threads) != 2 {
		t.Errorf("%+v", p.Target)
	}
}

func TestCrashOfManySnapshots(t *testing.T) {
	if err := Text(new(bytes.Buffer), report.Of(appletest.Darwin()), words.Options{}); !errors.Is(err, errManyStacks) {
		t.Error(err)
	}
}

func TestCrashWriteErrors(t *testing.T) {
	size := len(writtenCrash(t, crashed()))
	for _, room := range []int{0, size / 2, size - 1} {
		if err := Text(&fixtures.Full{Room: room}, report.Of(crashed()), words.Options{}); !errors.Is(err, fixtures.ErrFull) {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
	}
}

func TestCrashNothingUnprintable(t *testing.T) {
	p := appletest.Hostile()
	p.Images[0].Path = "/x/0x99 0x88"
	p.Images[0].Bundle.ID = ""
	text := writtenCrash(t, p)
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			t.Errorf("%U", r)
		}
	}
	again := read(t, []byte(text))
	if len(again.Threads) != 1 || len(again.Images) != 1 {
		t.Fatalf("%d threads, %d images", len(again.Threads), len(again.Images))
	}
	if stack := again.Threads[0].Heaviest(); len(stack) != 2 || stack[0].PC != 0x400100 || stack[1].PC != 0x400200 {
		t.Errorf("%+v", stack)
	}
}
