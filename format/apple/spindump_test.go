package apple

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/images"
	"stacksnap/task"
)

func spun(t testing.TB, all ...*profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := Spindump(&b, report.OfGroup(&profile.Group{Profiles: all}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hung is the program of darwin with what a report of spindump has besides.
func hung() *profile.Profile {
	p := appletest.Darwin()
	p.End = p.Start.Add(7230 * time.Millisecond)
	p.Target.User, p.Target.PageSize = &task.User{ID: 501}, 16384
	p.Target.Machine = task.Machine{Model: "Mac14,2", Active: 8, Memory: 16 << 30}
	p.Cache = &images.SharedCache{UUID: [16]byte(appletest.ID("246818c34b9f3462bcaffdf71975e5fe")), Base: 0x188230000, Slide: 0x8230000}
	p.Main.Variant = "arm64e"
	kernel := &profile.Image{Path: "/System/Library/Kernels/kernel.release.t8112", Load: 0xfffffe0007004000, End: 0xfffffe0007c00000, ID: appletest.ID("aaf3c70c3331335a96fbd338cfe178f0")}
	p.Images = append(p.Images, kernel)
	reader := p.Threads[1]
	reader.First, reader.Last, reader.Priority, reader.Used = 0, 99, task.Priority{Now: 31, Base: 31}, 91*time.Millisecond
	below := appletest.Top(kernel, "ipc_mqueue_receive_continue", 0, 0xfffffe0007104000, 60)
	wait := reader.Roots[1]
	wait.Self, wait.Return, wait.Children = 0, true, []*profile.Node{below}
	p.Threads[4].First, p.Threads[4].Last = 9, 11
	step := p.Threads[0].Roots[0].Children[0]
	step.Column = 5
	return p
}

// sampledLinux is another program that was sampled with that.
func sampledLinux() *profile.Profile {
	p := appletest.Linux()
	p.Snapshots = hung().Snapshots
	return p
}

func TestSpindumpGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"darwin": hung(), "linux": appletest.Linux(), "hostile": appletest.Hostile()} {
		appletest.CheckGolden(t, name+".spindump.txt", spun(t, p))
	}
	appletest.CheckGolden(t, "group.spindump.txt", spun(t, hung(), sampledLinux()))
}

// spindumps are real reports of spindump, which are not ours to commit, and our own.
func spindumps(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	folder := os.Getenv(appletest.ReportsVariable)
	if folder == "" {
		folder = "/work/shared/reports"
	}
	real, _ := filepath.Glob(filepath.Join(folder, "spindump_*.txt"))
	if len(real) == 0 {
		t.Logf("no reports of spindump are in %s (%s names another folder): only our own are tried", folder, appletest.ReportsVariable)
	}
	for _, name := range append(real, "testdata/darwin.spindump.txt") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = withoutComments(text)
	}
	return all
}

func readAll(t *testing.T, text []byte) []*profile.Profile {
	t.Helper()
	all, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	ofState    = regexp.MustCompile(`(?m)(\]) \([a-z].*\)( \d+(?:-\d+)?)?$`)
	scheduling = regexp.MustCompile(`(?m)^  <.*\n`)
)

// stacksOf is the stacks and images of a report without what ours does not have.
func stacksOf(text string) []string {
	text = scheduling.ReplaceAllString(ofState.ReplaceAllString(text, "$1$2"), "")
	var list []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") {
			continue
		}
		list = append(list, strings.TrimRight(line, "\n"))
	}
	return list
}

// behindHeader is a report from its first process on.
func behindHeader(text string) string {
	return text[max(0, strings.Index(text, "\n"+spinProcess)):]
}

// A report that is read and written has the same threads, stacks and images, and so has
// what its samples give, one by one in any order.
func TestSpindumpIsRebuilt(t *testing.T) {
	for name, text := range spindumps(t) {
		if strings.Contains(string(text), "Report Version:  18") {
			continue // of another form, which is compared by itself
		}
		t.Run(name, func(t *testing.T) {
			all, write := readAll(t, text), spun
			if strings.Contains(string(text), "\nTimeline format") {
				write = timelineOf
			}
			want := stacksOf(behindHeader(string(text)))
			if diff := cmp.Diff(want, stacksOf(behindHeader(write(t, all...)))); diff != "" || len(want) < 10 {
				t.Errorf("-report +written:\n%s", diff)
			}
			want = stacksOf(behindHeader(spun(t, all...)))
			for i, p := range all {
				again := rebuilt(t, p)
				again.Images, again.Main, again.Target = p.Images, p.Main, p.Target
				all[i] = again
			}
			if diff := cmp.Diff(want, stacksOf(behindHeader(spun(t, all...)))); diff != "" {
				t.Errorf("-report +rebuilt:\n%s", diff)
			}
		})
	}
}

// Of a report of version 18 each line has the same count, symbol and address.
func TestSpindumpOfOldVersion(t *testing.T) {
	frame := regexp.MustCompile(`^( *\*?)(\d+) +(.*?)(?: \(.*\))?(?: (\[0x[0-9a-f]+\]))?$`)
	frames := func(text string) (list []string) {
		for line := range strings.Lines(behindHeader(text)) {
			if m := frame.FindStringSubmatch(strings.TrimRight(line, " \n")); m != nil {
				list = append(list, strings.Join(m[1:], "|"))
			}
		}
		return list
	}
	for name, text := range spindumps(t) {
		if !strings.Contains(string(text), "Report Version:  18") {
			continue
		}
		all := readAll(t, text)
		want, got := frames(string(text)), frames(spun(t, all...))
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 400 {
			t.Errorf("%s: %d lines, -report +written:\n%s", name, len(want), diff)
		}
		if p := all[0]; len(p.Threads) != 33 && len(p.Threads) < 30 || len(p.Notes) != 1 || p.Main == nil || p.Threads[0].Samples != 43 {
			t.Errorf("%s: %d threads, notes %q", name, len(p.Threads), p.Notes)
		}
	}
}

// What is written is read again and written as it was.
func TestSpindumpIsWrittenAsItWas(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"darwin": hung(), "linux": appletest.Linux()} {
		text := strings.ReplaceAll(spun(t, p), "Time Since Fork:  97s\n", "") // which is not read: it is too coarse
		if diff := cmp.Diff(text, spun(t, readAll(t, []byte(text))...)); diff != "" {
			t.Errorf("%s -first +second:\n%s", name, diff)
		}
	}
	text := strings.ReplaceAll(spun(t, hung(), sampledLinux()), "Time Since Fork:  97s\n", "")
	if diff := cmp.Diff(text, spun(t, readAll(t, []byte(text))...)); diff != "" {
		t.Errorf("group -first +second:\n%s", diff)
	}
}

func TestSpindumpWriteErrors(t *testing.T) {
	size := len(spun(t, appletest.Darwin()))
	for _, room := range []int{0, size / 2, size - 1} {
		if err := Spindump(&fixtures.Full{Room: room}, report.Of(appletest.Darwin()), words.Options{}); !errors.Is(err, fixtures.ErrFull) {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
	}
}

func TestSpindumpNothingUnprintable(t *testing.T) {
	text := spun(t, appletest.Hostile())
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U", r)
		}
	}
	all := readAll(t, []byte(text))
	if len(all) != 1 || len(all[0].Threads) != 1 {
		t.Fatalf("%d processes", len(all))
	}
	stack := all[0].Threads[0].Heaviest()
	if len(stack) != 2 || stack[0].PC != 0x400100 || stack[1].PC != 0x400200 {
		t.Errorf("%+v", stack)
	}
}

// A stack that was cut begins with a line that says so, and a deep one has its middle
// left out.
func TestSpindumpOfOddStacks(t *testing.T) {
	text := spun(t, appletest.Linux())
	if !strings.Contains(text, "\n  1  <truncated backtrace>\n    1  f(int) + 4 (demo + 4864) [0x55d0c0a01300]\n") {
		t.Error(text)
	}
	n := appletest.Top(nil, "f", 1, 1000, 1)
	for pc := range task.Addr(2 * maxLevels) {
		n = appletest.Call(nil, "f", 1, 2000+pc, n)
	}
	text = spun(t, &profile.Profile{Snapshots: 1, Threads: []*profile.Thread{{ID: 1, Samples: 1, Roots: []*profile.Node{n}}}})
	if lines := strings.Count(text, "\n"); !strings.Contains(text, omitted) || lines > maxLevels+40 {
		t.Errorf("%d lines", lines)
	}
}

// Processes that are missing of a group are told.
func TestSpindumpOfMissing(t *testing.T) {
	var b bytes.Buffer
	g := &profile.Group{Profiles: []*profile.Profile{appletest.Linux()}, Missing: []profile.Missing{{PID: 9, Why: "it\nended"}}, More: 3}
	if err := Spindump(&b, report.OfGroup(g), words.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Note:             nothing of process 9: it\\nended\n", "Note:             processes that were too many: 3\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}

// The main thread comes first, and then they go by their ids.
func TestSpindumpOrder(t *testing.T) {
	p := &profile.Profile{Threads: []*profile.Thread{{ID: 5}, {ID: 9, Main: true}, {ID: 3}}}
	var got []task.ThreadID
	for _, th := range spinThreads(p) {
		got = append(got, th.ID)
	}
	if !slices.Equal(got, []task.ThreadID{9, 3, 5}) {
		t.Error(got)
	}
}
