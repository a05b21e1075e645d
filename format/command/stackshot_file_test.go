package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture/stackshots"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/kcdata"
	"stacksnap/task/stackshot/stackshottest"
)

// system makes a stackshot of a whole system: of the kernel with extensions, a shared
// cache whose layout is told, and so many processes with so many threads each.
func system(processes, threads int) *stackshot.Shot {
	const (
		wide   = stackshot.User64 | stackshot.Kernel64
		kernel = 0xffffff8000200000
		cache  = 0x7fff20000000
	)
	name := func(s string) (b [32]byte) {
		copy(b[:], s)
		return b
	}
	epoch, taken := uint64(1e15), uint64(100)
	s := &stackshot.Shot{
		OSVersion: "Darwin Kernel Version 23.5.0: today; root:xnu/RELEASE_X86_64", Epoch: &epoch, AbsoluteTime: &taken,
		Timebase: &stackshot.Timebase{Numer: 1, Denom: 1}, SharedCache: &stackshot.SharedCache{UUID: [16]byte{7}, Slide: 0x1000, FirstMapping: cache + 0x1000},
	}
	for i := range 2000 {
		s.Layout = append(s.Layout, stackshot.LoadInfo{Load: cache + uint64(i)<<18, UUID: [16]byte{byte(i), byte(i >> 8), 1}})
	}
	k := stackshot.Task{Snapshot: &stackshot.TaskSnapshot{NameOfProcess: name("kernel_task"), Flags: wide}}
	for i := range 200 {
		k.Images = append(k.Images, stackshot.LoadInfo{Load: kernel + uint64(i)<<20, UUID: [16]byte{byte(i), 2}})
	}
	s.Tasks = []stackshot.Task{k}
	for p := 1; p < processes; p++ {
		own := stackshot.Task{ID: uint64(p), Snapshot: &stackshot.TaskSnapshot{PID: int32(100 + p), NameOfProcess: name(fmt.Sprintf("process%d", p)), Flags: wide}}
		for i := range 20 {
			own.Images = append(own.Images, stackshot.LoadInfo{Load: 0x100000000 + uint64(i)<<20, UUID: [16]byte{byte(i), byte(p), byte(p >> 8)}})
		}
		for i := range threads {
			id := uint64(p*1000 + i)
			t := stackshot.Thread{ID: id, Snapshot: &stackshot.ThreadSnapshot{ID: id, State: stackshot.StateWait, Flags: wide}, Name: fmt.Sprintf("worker %d", i)}
			for f := range 8 {
				t.Kernel = append(t.Kernel, stackshot.Frame{LR: kernel + uint64(f)<<20 + 0x100})
				t.User = append(t.User, stackshot.Frame{LR: cache + uint64(p+f)<<18 + 0x10}, stackshot.Frame{LR: 0x100000000 + uint64(f)<<20 + uint64(i)})
			}
			own.Threads = append(own.Threads, t)
			own.Waits = append(own.Waits, stackshot.WaitInfo{Waiter: id, Kind: uint8(stackshot.PthreadMutex), Owner: uint64(((p-1)^1+1)*1000 + i), Context: 0x5000})
		}
		s.Tasks = append(s.Tasks, own)
	}
	return s
}

// BenchmarkStackshot makes a report of 500 processes with 5,000 threads, from the file on.
func BenchmarkStackshot(b *testing.B) {
	data := stackshottest.Bytes(system(501, 10))
	b.ReportMetric(float64(len(data))/1e6, "MB")
	b.ReportAllocs()
	for b.Loop() {
		shots, err := stackshot.Read(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		list, err := stackshots.Read(shots, nil, profile.ThreadFilter{}, nil)
		if err != nil || len(list) != 501 {
			b.Fatal(len(list), err)
		}
		if err := text.Tree(io.Discard, report.OfGroup(&profile.Group{Profiles: list}), words.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// shotFile writes stackshots into a file.
func shotFile(t *testing.T, shots ...*stackshot.Shot) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it.kcdata")
	write2(t, path, stackshottest.Bytes(shots...))
	return path
}

func TestStackshotChoice(t *testing.T) {
	path := shotFile(t, system(13, 2))
	for _, c := range []struct {
		args   string
		titles string // the processes that are reported on
		code   int
		err    string
	}{
		{"", "kernel_task process1 process2 process3 process4 process5 process6 process7 process8 process9 process10 process11 process12", 0, ""},
		{"-p process3", "process3", 0, ""},
		{"-p process1", "process1", 0, ""}, // and not those that begin so
		{"-p 105", "process5", 0, ""},
		{"-p 105 -p kernel", "kernel_task process5", 0, ""},
		{"-p proc -p kernel_task", "kernel_task process1 process2 process3 process4 process5 process6 process7 process8 process9 process10 process11 process12", 0, ""},
		{"-p 0", "kernel_task", 0, ""},
		{"-p 99", "", 3, "no process with pid 99"},
		{"-p nobody", "", 3, `no process named "nobody"`},
		{"-p process3 --save x.snap", "", 2, "no memory to record"},
		{"-f ips", "", 2, "choose it with -p"},
		{"-p process3 -p process4 -d 1s", "", 2, "cannot be sampled"},
		{"--tree", "", 2, "opened alone"},
	} {
		out, stderr, code := ran(t, append(strings.Fields(c.args), path)...)
		var titles []string
		for line := range strings.Lines(out) {
			if name, ok := strings.CutPrefix(line, "Process:"); ok {
				name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
				titles = append(titles, name)
			}
		}
		if got := strings.Join(titles, " "); got != c.titles || code != c.code || !strings.Contains(stderr, c.err) {
			t.Errorf("%s: %q, %d, %s", c.args, got, code, stderr)
		}
	}
}

// TestStackshotChoiceOfAll asks for no process where none is named.
func TestStackshotChoiceOfAll(t *testing.T) {
	shots := []*stackshot.Shot{system(13, 2)}
	for within, free := range map[string]bool{"": true, "process3": false} {
		names := strings.Fields(within)
		allocated := testing.AllocsPerRun(3, func() {
			if wanted, err := namedIn(shots, "it", names); err != nil || (wanted == nil) != free {
				t.Errorf("%q: %v", within, err)
			}
		})
		if (allocated == 0) != free {
			t.Errorf("%q: %v allocations", within, allocated)
		}
	}
}

// TestStackshotDeadlocks: threads of two processes wait for each other's mutexes. Each
// circle is told once, and only where both processes are shown.
func TestStackshotDeadlocks(t *testing.T) {
	path := shotFile(t, system(5, 2))
	for args, want := range map[string]int{"": 4, "-p process1 -p process2": 2, "-p process1 -p process3": 0} {
		out, _, _ := ran(t, append(strings.Fields(args), path)...)
		if n := strings.Count(out, "Deadlock:"); n != want {
			t.Errorf("%q: %d deadlocks, want %d\n%.2000s", args, n, want, out)
		}
	}
	out, _, _ := ran(t, path)
	told := strings.Join(strings.Fields(out), " ")
	const first = `Deadlock: 2 threads wait for each other ` +
		`thread 0x3e8 "worker 0" of process1 [101] waits for mutex 0x5000, held by thread 0x7d0 of process2 [102] ` +
		`thread 0x7d0 "worker 0" of process2 [102] waits for mutex 0x5000, held by thread 0x3e8 of process1 [101]`
	if !strings.Contains(told, first) {
		t.Errorf("no %q in\n%.2000s", first, told)
	}
}

// TestStackshotInEveryFormat has frames of the kernel marked in each.
func TestStackshotInEveryFormat(t *testing.T) {
	path := shotFile(t, system(3, 2))
	for name, want := range map[string]string{
		"tree": "[k] (kernel + 0x100)", "summary": "[k]", "json": `"kernel": true`, "jsonl": `"kernel":true`, "folded": ";kernel+0x100_[k]",
		"speedscope": "kernel+0x100 [k]", "sample": "??? [k]  (in kernel)", "ips": `"kernel"`, "html": "kernel+0x100 [k]",
	} {
		out, stderr, code := ran(t, "-p", "101", path, "-f", name)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d, %s\n%.3000s", name, code, stderr, out)
		}
	}
	pb := filepath.Join(t.TempDir(), "it.pb")
	if _, stderr, code := ran(t, "-p", "101", path, "-o", pb); code != 0 {
		t.Fatal(code, stderr)
	}
	if raw, err := os.ReadFile(pb); err != nil || !bytes.Contains(raw, []byte("kernel+0x0 [k]")) {
		t.Errorf("pprof: %v", err)
	}
}

// TestStackshotIsReadBack compares the report of a document with that of the stackshot.
func TestStackshotIsReadBack(t *testing.T) {
	path := shotFile(t, system(3, 2))
	want, _, _ := ran(t, "-p", "101", path)
	doc := filepath.Join(t.TempDir(), "it.json")
	if _, stderr, code := ran(t, "-p", "101", path, "-o", doc); code != 0 {
		t.Fatal(code, stderr)
	}
	if got, stderr, code := ran(t, doc); got != want || code != 0 {
		t.Errorf("%d %s\n%s\nwant\n%s", code, stderr, got, want)
	}
	for line := range strings.Lines(want) {
		if strings.Contains(line, "waits for mutex 0x5000, held by thread 0x7d0 \"worker 0\" of process2 [102]") {
			return
		}
	}
	t.Errorf("no wait in\n%s", want)
}

func TestStackshotHostile(t *testing.T) {
	s := system(3, 1)
	const evil = "a\x1b[31m\nb\xff\u202ec<script>"
	copy(s.Tasks[1].Snapshot.NameOfProcess[:], evil)
	s.Tasks[1].Threads[0].Name, s.Tasks[1].Threads[0].Label = evil, evil
	s.Tasks[2].Threads[0].Name, s.OSVersion, s.OSBuild = evil, evil, evil
	s.PortLabels = []stackshot.Label{{ID: 1, Name: evil, Info: &stackshot.PortLabel{ID: 1}}}
	s.Tasks[2].Waits = []stackshot.WaitInfo{{Waiter: 2000, Kind: uint8(stackshot.PortSend), PortLabel: 1, Owner: 101}}
	path := shotFile(t, s)
	for _, form := range []string{"tree", "summary", "folded", "sample", "html"} {
		out, stderr, code := ran(t, path, "-f", form, "--color", "never")
		if code != 0 || strings.ContainsAny(out, "\x1b\u202e") || !utf8.ValidString(out) || strings.Contains(out, "c<script>") && form == "html" {
			t.Errorf("%s: %d, %s\n%.2000q", form, code, stderr, out)
		}
	}
}

func TestStackshotsThatAreNone(t *testing.T) {
	var crash kcdata.Writer
	crash.Begin(kcdata.CrashInfo)
	crash.Text(0x809, "evil\x1b[31m")
	crash.End()
	path := filepath.Join(t.TempDir(), "crash")
	write2(t, path, crash.Bytes())
	for _, args := range [][]string{{path}, {path, "-p", "7"}, {"diff", path, path}} {
		out, stderr, code := ran(t, args...)
		if code != 1 || out != "" || !strings.Contains(stderr, `crashed process, without stacks: evil\x1b[31m; for`) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: %d, %s", args, code, stderr)
		}
	}
	empty := shotFile(t, &stackshot.Shot{})
	if _, stderr, code := ran(t, empty); code != 1 || !strings.Contains(stderr, "has no process") {
		t.Errorf("%d, %s", code, stderr)
	}
	whole := stackshottest.Bytes(system(3, 2))
	write2(t, path, whole[:len(whole)-100])
	if out, stderr, code := ran(t, path); code != 0 || !strings.Contains(out, "the stackshot is not whole: the buffer is cut off at byte") {
		t.Errorf("%d, %s\n%s", code, stderr, out)
	}
}
