//go:build linux

package e2e

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile/capture"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// The names that testdata/jit.c gives its code.
const (
	firstName  = "first @fn a.js:1"
	secondName = "second;\x1b[31m"
)

// startJIT starts testdata/jit.c, which writes its names to a file.
func startJIT(t *testing.T, file string) (cmd *exec.Cmd, perfMap string) {
	t.Helper()
	cmd = start(t, compile(t, "jit", "-O1"), file)
	perfMap = "/tmp/perf-" + pid(cmd) + ".map"
	t.Cleanup(func() { _ = os.Remove(perfMap) })
	return cmd, perfMap
}

// TestGeneratedCodeIsNamed in each form of report, live and from a recording, and
// the map names nothing else.
func TestGeneratedCodeIsNamed(t *testing.T) {
	cmd, perfMap := startJIT(t, "-")
	for form, wants := range map[string][]string{
		"tree":   {"first @fn a.js:1 + ", `second;\x1b[31m (` + filepath.Base(perfMap) + ")", perfMap},
		"json":   {`"function": "first @fn a.js:1"`, `"generated": true`},
		"folded": {";main;first @fn a.js:1 ", `;main;second:\x1b[31m `},
	} {
		t.Run(form, func(t *testing.T) {
			save := filepath.Join(t.TempDir(), "a.snap")
			var r result
			eventually(t, fmt.Sprintf("%q are all there", wants), func() bool { // 200 samples may find one of them only
				r = snap(t, "-p", pid(cmd), "-n", "200", "--addresses", "-f", form, "-o", "-", "--save", save)
				if r.code != exitOK {
					t.Fatalf("exit code %d: %s", r.code, r.err)
				}
				return !slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(r.out, want) })
			})
			for _, never := range []string{"everything", "false main"} {
				if strings.Contains(r.out, never) {
					t.Errorf("%q is told:\n%s", never, r.out)
				}
			}
			if again := snap(t, save, "--addresses", "-f", form, "-o", "-"); again.out != r.out {
				t.Errorf("the recording gives another report:\n%s", again.out)
			}
		})
	}
	if _, report := snapWhenSettled(t, pid(cmd), "first @fn a.js:1 + "); !strings.Contains(report, filepath.Base(perfMap)) {
		t.Errorf("the perf map is not named:\n%s", report)
	}
}

// seen counts samples by the function in which the target's only thread is.
type seen map[string]int

func (s seen) add(snapshot *task.Snapshot, m *images.Map) (function string) {
	if len(snapshot.Threads) == 0 {
		return ""
	}
	function = m.Locate(snapshot.Threads[0].Registers.PC(), false).Function
	s[function]++
	return function
}

const enough = 10 // samples

// TestCodeIsNamedAnew: what was compiled later at the same place has the later name
// from then on, and what was seen before keeps the earlier.
func TestCodeIsNamedAnew(t *testing.T) {
	cmd, perfMap := startJIT(t, "-")
	save := filepath.Join(t.TempDir(), "a.snap")
	ctx, end := context.WithTimeout(t.Context(), patience)
	defer end()
	counts := seen{}
	p := recordUntil(t, ctx, cmd, capture.Options{
		Interval: time.Millisecond, Save: save,
		Each: func(s *task.Snapshot, m *images.Map) error {
			switch f := counts.add(s, m); {
			case f == firstName && counts[f] == enough:
				return rename(perfMap)
			case f == "renamed" && counts[f] == enough:
				end()
			}
			return nil
		},
	})
	got := selfCounts(p.ByFunction())
	t.Log(got)
	if got[firstName] != enough || got["renamed"] < enough || got[""] > 0 {
		t.Errorf("%v", got)
	}
	checkReplay(t, save, p)
}

// rename gives the code with the first name another one.
func rename(perfMap string) error {
	b, err := os.ReadFile(perfMap)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		if place, ok := strings.CutSuffix(line, firstName+"\n"); ok {
			b = fmt.Appendf(b, "%srenamed\n", place)
		}
	}
	return os.WriteFile(perfMap, b, 0o644)
}

// TestNamesComeLate: names that are written while the target is sampled are used
// from then on.
func TestNamesComeLate(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "map")
	cmd, perfMap := startJIT(t, elsewhere)
	save := filepath.Join(t.TempDir(), "a.snap")
	ctx, end := context.WithTimeout(t.Context(), patience)
	defer end()
	counts := seen{}
	p := recordUntil(t, ctx, cmd, capture.Options{
		Interval: time.Millisecond, Save: save,
		Each: func(s *task.Snapshot, m *images.Map) error {
			switch f := counts.add(s, m); {
			case f == "" && counts[f] == enough:
				b, err := os.ReadFile(elsewhere)
				if err != nil {
					return err
				}
				return os.WriteFile(perfMap, b, 0o644)
			case f == firstName && counts[f] == enough:
				end()
			}
			return nil
		},
	})
	got := selfCounts(p)
	t.Log(got)
	if got[firstName] < enough || got[""] < enough {
		t.Errorf("%v", got)
	}
	checkReplay(t, save, p)
}

// TestNodeNamesItsCode live, as Node.js does when it is asked to.
func TestNodeNamesItsCode(t *testing.T) {
	need(t, "node")
	log := "--logfile=" + filepath.Join(t.TempDir(), "v8.log") // it would be one here for each isolate
	cmd := start(t, "node", "--perf-basic-prof", "--interpreted-frames-native-stack", "--no-logfile-per-isolate", log, "testdata/worker.js")
	t.Cleanup(func() { _ = os.Remove("/tmp/perf-" + pid(cmd) + ".map") })
	_, report := snapWhenSettled(t, pid(cmd), "uv__io_poll", "FutexEmulation", "deep ")
	if !strings.Contains(report, "more frames of JS:~deep ") || !strings.Contains(report, "testdata/worker.js:9:") {
		t.Errorf("the worker is not twenty calls deep:\n%s", report)
	}
}

// TestContainersNames are in its own /tmp, by the number that the program has there.
func TestContainersNames(t *testing.T) {
	need(t, "unshare", "mount")
	const inside = `mount -t tmpfs none "$2" && cp "$1" "$2/jit" && mount --bind "$2" /tmp && exec /tmp/jit -`
	args := []string{"unshare", "--mount", "--pid", "--fork", "--kill-child"}
	if err := exec.Command(args[0], append(args[1:], "true")...).Run(); err != nil {
		needs.Skip(t, "namespaces", err.Error())
	}
	cmd := start(t, append(args, "sh", "-c", inside, "sh", compile(t, "jit", "-O1"), t.TempDir())...)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]s/task/%[1]s/children", pid(cmd)))
	needs.Feature(t, "/proc/PID/task/TID/children", err, fs.ErrNotExist)
	_, report := snapWhenSettled(t, strings.TrimSpace(string(children)), "first @fn a.js:1 + ")
	if !strings.Contains(report, "(perf-1.map)") {
		t.Errorf("not by its own number:\n%s", report)
	}
}
