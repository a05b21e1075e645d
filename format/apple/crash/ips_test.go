package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// crashed is one snapshot of the program of darwin, as a core of it has it.
func crashed() *profile.Profile {
	p := appletest.Darwin()
	p.Snapshots, p.Notes = 1, []string{"made up"}
	p.Target.Machine.Model, p.Target.User = "Mac14,2", &task.User{ID: 501}
	p.Target.Crash = &task.Crash{Signal: "SIGSEGV", Detail: "EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x10", Thread: 2155300}
	tray, kernel := p.Images[0], p.Images[3]
	inlined := appletest.Source(appletest.Call(tray, "get", 0, 0x102a61100, appletest.Source(appletest.Top(tray, "index", 0, 0x102a61100, 1), "/src/b.h", 2)), "/src/b.h", 7)
	inlined.Inlined, inlined.Children[0].Inlined = true, true
	one := func(t *profile.Thread, root *profile.Node) *profile.Thread {
		t.Samples, t.Roots = 1, []*profile.Node{root}
		return t
	}
	p.Threads = []*profile.Thread{
		one(&profile.Thread{ID: 2155218, Main: true, Queue: "com.apple.main-thread"}, appletest.Call(nil, "", 0, 0x140000100, appletest.Top(kernel, "kevent", 8, 0x188645fc4, 1))),
		one(&profile.Thread{ID: 2155300, Name: "reader"}, appletest.Call(tray, "", 0x86d2c, 0x102ad6d2c, appletest.Source(appletest.Call(tray, "run", 16, 0x102a61100, inlined), "/src/b.c", 9))),
		{ID: 2155301, Samples: 1, Empty: 1},
		one(&profile.Thread{Name: lastException}, appletest.Top(tray, "throw", 4, 0x102a61204, 1)),
	}
	return p
}

func writtenIPS(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := IPS(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestIPSGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"crashed": crashed(), "linux": appletest.Linux()} {
		appletest.CheckGolden(t, name+".ips", string(writtenIPS(t, p)))
	}
}

// An .ips file that is read and written has the same threads, frames and images.
func TestIPSIsWrittenAsItWas(t *testing.T) {
	folder := os.Getenv(appletest.ReportsVariable)
	if folder == "" {
		folder = "/work/shared/reports"
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.ips"))
	if len(files) == 0 {
		t.Logf("no .ips files are in %s (%s names another folder): only our own are tried", folder, appletest.ReportsVariable)
	}
	for _, file := range append(files, "testdata/crashed.ips", "testdata/linux.ips") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, got := outline(t, text), outline(t, writtenIPS(t, read(t, text)))
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
			t.Errorf("%s -want +got:\n%s", file, diff)
		}
	}
}

// outline lists the threads, frames and images of an .ips file, each image in its frames
// by what it is.
func outline(t *testing.T, text []byte) (list []string) {
	t.Helper()
	_, payload, _ := bytes.Cut(text, []byte("\n"))
	var d map[string]any
	if err := json.Unmarshal(payload, &d); err != nil {
		t.Fatal(err)
	}
	of := func(m any, keys ...string) string {
		var b strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&b, "%v ", m.(map[string]any)[k])
		}
		return b.String()
	}
	images := d["usedImages"].([]any)
	for _, im := range images {
		list = append(list, "image "+of(im, "base", "size", "uuid", "arch", "path", "name"))
	}
	slices.Sort(list) // their order means nothing
	frames := func(all any) {
		fs, _ := all.([]any)
		for _, f := range fs {
			im := images[int(f.(map[string]any)["imageIndex"].(float64))]
			list = append(list, "frame "+of(f, "imageOffset", "symbol", "symbolLocation", "sourceFile", "sourceLine", "inline")+of(im, "uuid", "base"))
		}
	}
	for _, thread := range d["threads"].([]any) {
		list = append(list, "thread "+of(thread, "id", "name", "queue", "triggered"))
		frames(thread.(map[string]any)["frames"])
	}
	if e, ok := d["exception"].(map[string]any); ok {
		delete(e, "rawCodes") // the same as codes
	}
	list = append(list, of(d, "faultingThread", "pid", "procName", "procPath", "parentPid", "cpuType", "exception", "bundleInfo"))
	frames(d["lastExceptionBacktrace"])
	return list
}

func TestReadIPS(t *testing.T) {
	p := read(t, writtenIPS(t, crashed()))
	want := crashed().Target
	want.Footprint, want.Live, want.Start = task.Footprint{}, false, p.Target.Start
	if diff := cmp.Diff(want, p.Target); diff != "" || !crashed().Target.Start.Equal(p.Target.Start) || !p.Start.Equal(crashed().Start) {
		t.Errorf("-want +got:\n%s", diff)
	}
	var got []string
	for _, th := range p.Threads {
		got = append(got, fmt.Sprintf("%d %q %q %t %d", th.ID, th.Name, th.Queue, th.Main, th.Empty))
		for depth, n := range th.Nodes() {
			image := "-"
			if n.Image != nil {
				image = n.Image.Name()
			}
			got = append(got, fmt.Sprintf("%d %s+%d %v in %s return %t inlined %t self %d %s:%d", depth, n.Function, n.Offset, n.PC, image, n.Return, n.Inlined, n.Self, n.File, n.Line))
		}
	}
	lines := []string{
		`2155218 "" "com.apple.main-thread" true 0`,
		"0 +0 0x140000100 in - return true inlined false self 0 :0",
		"1 kevent+8 0x188645fc4 in libsystem_kernel.dylib return false inlined false self 1 :0",
		`2155300 "reader" "" false 0`,
		"0 +552236 0x102ad6d2c in tray return true inlined false self 0 :0",
		"1 run+16 0x102a61100 in tray return false inlined false self 0 /src/b.c:9",
		"2 get+0 0x102a61100 in tray return false inlined true self 0 /src/b.h:7",
		"3 index+0 0x102a61100 in tray return false inlined true self 1 /src/b.h:2",
		`2155301 "" "" false 1`,
		`0 "Last Exception Backtrace" "" false 0`,
		"0 throw+4 0x102a61204 in tray return false inlined false self 1 :0",
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p.Frames != 5 || p.Main == nil || p.Main.Bundle.ID != "org.example.tray" || p.Tool != crashed().Tool || !slices.Equal(p.Notes, []string{"made up"}) {
		t.Errorf("%d frames, main %+v, notes %q", p.Frames, p.Main, p.Notes)
	}
}

// What Apple's own files have besides.
func TestReadIPSForms(t *testing.T) {
	p := read(t, []byte(`-------------------------------------
Translated Report (Full Report Below)
-------------------------------------
{ not this }
{"bug_type":"309"}
{
  "pid": "not a number", "cpuType": "X86-64", "translated": true, "uptime": [1, {"a": [2]}],
  "exception": {"type": "EXC_CRASH", "message": "no"}, "termination": {"indicator": "Abort trap: 6", "reasons": ["r"]},
  "asi": {"libB": ["b", 1], "libA": ["a"], "x": "y"},
  "threads": [{"id": 5, "frames": [{"imageOffset": 4096, "imageIndex": 7}, {"imageOffset": 1, "imageIndex": -1, "symbol": "f"}]}, 3],
  "usedImages": [{"base": 18446744073709551615, "size": 9, "uuid": "x"}, {"base": 4096, "size": 1, "name": "n", "arch": "x86_64h", "uuid": "00000000-0000-0000-0000-000000000000"}]
}
`))
	c := p.Target.Crash
	if p.Target.PID != 0 || p.Target.Arch != task.AMD64 || !p.Target.Translated || c == nil || *c != (task.Crash{Signal: "EXC_CRASH"}) {
		t.Errorf("%+v %+v", p.Target, c)
	}
	if want := []string{"no", "r", "ended by Abort trap: 6", "libA: a", "libB: b"}; !slices.Equal(p.Notes, want) {
		t.Errorf("notes %q", p.Notes)
	}
	if len(p.Threads) != 2 || !p.Threads[0].Main || p.Threads[0].Roots[0].Function != "f" || p.Threads[0].Roots[0].Children[0].PC != 4096 {
		t.Errorf("%+v", p.Threads)
	}
	if im := p.Images; len(im) != 1 || im[0].Path != "n" || im[0].ID != nil || im[0].Variant != "x86_64h" || im[0].Arch != task.AMD64 {
		t.Errorf("%+v", im)
	}
}

// A file that is cut short gives the threads that are whole, and says so.
func TestReadIPSCutShort(t *testing.T) {
	whole := writtenIPS(t, crashed())
	begin := bytes.IndexByte(whole, '\n') + 1
	end := bytes.LastIndexByte(whole, '}')
	most := 0
	for n := begin; n < len(whole); n++ {
		p := read(t, whole[:n])
		cut := slices.ContainsFunc(p.Notes, func(note string) bool { return strings.Contains(note, "cut short") })
		if cut != (n <= end) {
			t.Fatalf("%d of %d bytes: notes %q", n, len(whole), p.Notes)
		}
		if len(p.Threads) < most {
			t.Fatalf("%d bytes: %d threads, and %d of a shorter one", n, len(p.Threads), most)
		}
		most = len(p.Threads)
	}
	if most != 4 {
		t.Errorf("%d threads", most)
	}
}

// What ended a process is written as it was read, and by whom.
func TestIPSOfCrashes(t *testing.T) {
	for _, c := range []task.Crash{
		{Signal: "SIGTRAP", Detail: "EXC_BREAKPOINT: 0x0000000000000001, 0x000000018a98520c"}, {Signal: "SIGSEGV", Detail: "address 0x10 not mapped"},
		{Signal: "SIGBUS", Detail: "EXC_BAD_ACCESS", Thread: 2155300}, {Signal: "SIGABRT"},
		{Signal: "SIGBUS", Detail: "EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x10, codes 0x0000000000000001, 0x0000000000000010"},
	} {
		p := crashed()
		p.Target.Crash = &c
		text := writtenIPS(t, p)
		if got := read(t, text).Target.Crash; *got != c {
			t.Errorf("%+v, want %+v", got, c)
		}
		if has := bytes.Contains(text, []byte(`"codes": "0x`)); has != strings.Contains(c.Detail, "0x000") {
			t.Errorf("%+v: codes %t", c, has)
		}
		text = bytes.Replace(text, []byte(`"faultingThread"`), []byte(`"other"`), 1)
		if got := read(t, text).Target.Crash; got.Thread != c.Thread {
			t.Errorf("crashed in %d, want %d", got.Thread, c.Thread)
		}
	}
}

// A frame of generated code, which has no place as an image, is at its address.
func TestIPSOfGeneratedCode(t *testing.T) {
	p := appletest.Linux()
	jit := &profile.Image{Path: "/tmp/perf-4242.map", Generated: true}
	p.Images = append([]*profile.Image{jit}, p.Images...)
	p.Threads = []*profile.Thread{{ID: 4242, Samples: 1, Roots: []*profile.Node{appletest.Top(jit, "JS:*f", 53, 0x7f109d1f4035, 1)}}, {ID: 0, Samples: 1, Empty: 1}}
	p.Target.Crash = &task.Crash{Signal: "SIGILL"}
	again := read(t, writtenIPS(t, p))
	if n := again.Threads[0].Roots[0]; n.PC != 0x7f109d1f4035 || n.Image != nil || n.Offset != 53 || len(again.Images) != 2 || again.Target.OS != task.Linux {
		t.Errorf("%+v of %v", n, again.Images)
	}
	if bytes.Contains(writtenIPS(t, p), []byte("perf-4242")) {
		t.Error("what is no image is listed as one")
	}
	if bytes.Contains(writtenIPS(t, p), []byte("triggered")) {
		t.Error("a thread has crashed that is not known to")
	}
}

func TestIPSOfManySnapshots(t *testing.T) {
	if err := IPS(new(bytes.Buffer), report.Of(appletest.Darwin()), words.Options{}); !errors.Is(err, errSampled) {
		t.Error(err)
	}
}

func TestIPSWriteErrors(t *testing.T) {
	size := len(writtenIPS(t, crashed()))
	for _, room := range []int{0, size / 2, size - 1} {
		if err := IPS(&fixtures.Full{Room: room}, report.Of(crashed()), words.Options{}); !errors.Is(err, fixtures.ErrFull) {
			t.Errorf("room for %d bytes: error %v", room, err)
		}
	}
}

func TestIPSNothingUnprintable(t *testing.T) {
	p := appletest.Hostile()
	p.Threads[0].Roots[0].Children[0].Count = 1
	for _, r := range string(writtenIPS(t, p)) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U", r)
		}
	}
	if again := read(t, writtenIPS(t, p)); again.Threads[0].Name != p.Threads[0].Name {
		t.Errorf("name %q", again.Threads[0].Name)
	}
}

func FuzzReadIPS(f *testing.F) {
	f.Add([]byte(fullIPS))
	for _, p := range []*profile.Profile{crashed(), appletest.Linux()} {
		var b bytes.Buffer
		if err := IPS(&b, report.Of(p), words.Options{}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:b.Len()*2/3])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := readOne(text)
		if err != nil || p.Sampled() {
			return
		}
		var b bytes.Buffer
		if err := IPS(&b, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := readOne(b.Bytes()); err != nil {
			t.Fatal(err)
		}
	})
}
