//go:build linux && (amd64 || arm64)

package goroutines_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// known is what the program itself says of a goroutine: what it waits in, its frames and
// its creator.
type known struct {
	wait   string
	frames []string // "function file:line", the innermost first
}

func (k known) String() string { return k.wait + "\n" + strings.Join(k.frames, "\n") }

var goroutineHeader = regexp.MustCompile(`^goroutine (\d+) \[([^],]*)`)

// readTraceback reads Go's traceback of all goroutines.
func readTraceback(t *testing.T, text []byte) map[uint64]known {
	all := map[uint64]known{}
	var id uint64
	name := ""
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line := lines.Text()
		if found := goroutineHeader.FindStringSubmatch(line); found != nil {
			id, _ = strconv.ParseUint(found[1], 10, 64)
			all[id] = known{wait: found[2]}
			continue
		}
		at, isPlace := strings.CutPrefix(line, "\t")
		switch {
		case line == "":
		case !isPlace:
			name = line
			if by, created := strings.CutPrefix(line, "created by "); created {
				by, _, _ = strings.Cut(by, " in goroutine")
				name = "created by " + by
			} else if i := strings.LastIndexByte(line, '('); i > 0 {
				name = line[:i]
			}
		default:
			at, _, _ = strings.Cut(at, " ")
			k := all[id]
			k.frames = append(k.frames, name+" "+at)
			all[id] = k
		}
	}
	if len(all) == 0 {
		t.Fatal("no goroutines in the traceback")
	}
	return all
}

// isHidden reports whether Go's traceback leaves a function out (runtime.showfuncinfo).
func isHidden(function string) bool {
	name, ok := strings.CutPrefix(function, "runtime.")
	return ok && (name == "" || name[0] < 'A' || name[0] > 'Z')
}

// knownOf returns what the profile says of a goroutine in the words of a traceback.
func knownOf(task *profile.Task) known {
	k := known{wait: task.Wait}
	place := func(l *profile.Location) string {
		return strings.TrimSuffix(l.Function, ".abi0") + " " + l.File + ":" + strconv.Itoa(l.Line)
	}
	for i := len(task.Path) - 1; i >= 0; i-- {
		if l := &task.Path[i].Location; !isHidden(l.Function) {
			k.frames = append(k.frames, place(l))
		}
	}
	if task.Created != nil {
		k.frames = append(k.frames, "created by "+place(task.Created))
	}
	return k
}

// build builds the program with a go command.
func build(t *testing.T, command, cgo string, flags ...string) string {
	t.Helper()
	return buildIn(t, "blocked", command, cgo, flags...)
}

// buildIn builds the program of a directory.
func buildIn(t *testing.T, name, command, cgo string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	dir, err := filepath.Abs("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command, append(append([]string{"build", "-buildvcs=false", "-o", program}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOROOT=", "PWD="+dir, "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s build %v: %v\n%s", command, flags, err, out)
	}
	return program
}

// start starts the program, waits until all its goroutines have blocked, and returns what
// it says of them.
func start(t *testing.T, program string, n int) (pid int, truth map[uint64]known) {
	t.Helper()
	pid, text := startTelling(t, program, n)
	return pid, readTraceback(t, text)
}

// startTelling is start, and returns all that the program says.
func startTelling(t *testing.T, program string, n int) (pid int, text []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "traceback")
	cmd := exec.Command(program, strconv.Itoa(n), file)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for {
		text, err := os.ReadFile(file)
		if err == nil {
			return cmd.Process.Pid, text
		}
		if !os.IsNotExist(err) {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
}

// TestTruth compares goroutines with the traceback that the program itself made, frame by
// frame: what they wait in, functions, files, lines and creators.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		cgo   string
		flags []string
		n     int
	}{{"0", nil, 1}, {"0", nil, 1000}, {"0", []string{"-trimpath", "-buildmode=pie"}, 8}, {"0", []string{"-ldflags=-w"}, 8},
		{"0", []string{"-ldflags=-s -w", "-trimpath"}, 8}, {"0", []string{"-ldflags=-s -w", "-buildmode=pie"}, 8}, {"1", []string{"-ldflags=-s -w -linkmode=external"}, 8}} {
		t.Run(fmt.Sprint(c.n, c.flags), func(t *testing.T) {
			if c.cgo == "1" {
				needs.Tools(t, "gcc")
			}
			compare(t, "go", c.cgo, c.n, c.flags...)
		})
	}
}

// compare builds the program, captures it, and compares.
func compare(t *testing.T, command, cgo string, n int, flags ...string) {
	pid, text := startTelling(t, build(t, command, cgo, flags...), n)
	truth := readTraceback(t, text)
	process, err := live.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	p, err := capture.OneShot(process, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkObjects(t, p, text, n)
	want := map[string]int{}
	for id, k := range truth {
		if id != 1 && k.wait != "syscall" { // the main one wrote the traceback
			want[k.String()]++
		}
	}
	for _, task := range p.Tasks {
		if task.ID == 1 || task.System { // the program's traceback has none of the runtime's own
			continue
		}
		got := knownOf(task)
		if !slices.Equal(got.frames, truth[task.ID].frames) || got.wait != truth[task.ID].wait {
			t.Errorf("goroutine %d is\n%v\nwant\n%v", task.ID, got, truth[task.ID])
		}
		want[got.String()] -= task.Count
	}
	for k, n := range want {
		if n != 0 {
			t.Errorf("%d goroutines are missing of\n%s", n, k)
		}
	}
	for _, line := range p.Notes {
		t.Log(line)
	}
}

// TestOptions: goroutines are also read beside a recording, which has the same, and at the end of
// samples, and not where nothing is to be read of runtimes, or some threads alone are wanted.
func TestOptions(t *testing.T) {
	pid, _ := start(t, build(t, "go", "0"), 1)
	for name, c := range map[string]struct {
		options capture.Options
		want    bool
	}{
		"saved":                  {capture.Options{Save: filepath.Join(t.TempDir(), "it.snap")}, true},
		"no runtimes":            {capture.Options{NoRuntimes: true}, false},
		"one thread":             {capture.Options{Threads: profile.ThreadFilter{Main: true}}, false},
		"samples":                {capture.Options{Count: 3, Interval: time.Millisecond, Save: filepath.Join(t.TempDir(), "it.snap")}, true},
		"no runtimes in samples": {capture.Options{Count: 3, Interval: time.Millisecond, NoRuntimes: true}, false},
		"one thread in samples":  {capture.Options{Count: 3, Interval: time.Millisecond, Threads: profile.ThreadFilter{Main: true}}, false},
		"a live view": {capture.Options{Count: 3, Interval: time.Millisecond, Added: func(a *capture.Added) {
			if len(a.Tasks()) == 0 {
				t.Error("a live view has no goroutines")
			}
		}}, false},
	} {
		process, err := live.Open(pid)
		if err != nil {
			t.Fatal(err)
		}
		p, err := captured(process, c.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.Tasks) > 0; got != c.want {
			t.Errorf("%s: goroutines %v, want %v", name, got, c.want)
		}
		if err := process.Close(); err != nil {
			t.Error(err)
		}
		if c.options.Save != "" {
			reopen(t, c.options.Save, p)
		}
	}
}

// captured returns the profile of one snapshot, or of as many as are wanted.
func captured(p task.Process, o capture.Options) (*profile.Profile, error) {
	if o.Count == 0 {
		return capture.OneShot(p, o)
	}
	return capture.Record(context.Background(), p, o)
}

// reopen wants of a recording the goroutines of the profile that was made with it, and not where
// the capture would not have had them.
func reopen(t *testing.T, file string, p *profile.Profile) {
	t.Helper()
	again, err := capture.Replay(file, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{cmpopts.IgnoreUnexported(profile.Node{}), cmpopts.IgnoreFields(profile.Node{}, "Children"), cmpopts.EquateEmpty()}
	if d := cmp.Diff(p.Tasks, again.Tasks, same); d != "" {
		t.Errorf("the recording has other goroutines: %s", d)
	}
	if d := cmp.Diff(p.Notes, again.Notes); d != "" {
		t.Errorf("the recording has other notes: %s", d)
	}
	for name, o := range map[string]capture.Options{"no runtimes": {NoRuntimes: true}, "one thread": {Threads: profile.ThreadFilter{Main: true}}} {
		if again, err := capture.Replay(file, o); err != nil || len(again.Tasks) > 0 {
			t.Errorf("opened with %s: %d entries of goroutines, %v", name, len(again.Tasks), err)
		}
	}
}
