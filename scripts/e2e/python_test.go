//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task/needs"
)

// pythons returns the interpreters of this machine, from 3.8 on, by their versions, and those that
// $STACKSNAP_PYTHONS lists as paths: without -tags long only the oldest and the newest.
func pythons(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{"python3": needs.Tool(t, "python3")}
	home, _ := os.UserHomeDir()
	more, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
	more = append(more, filepath.SplitList(os.Getenv("STACKSNAP_PYTHONS"))...)
	for _, path := range append(more, "/usr/bin/python3") {
		out, err := exec.Command(path, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])").Output()
		version := strings.TrimSpace(string(out))
		if err == nil && minorVersion(version) >= 8 {
			found[version+" of "+path] = path
		}
	}
	if len(found) > 1 {
		delete(found, "python3") // it is one of the others
	}
	if !everything && len(found) > 2 {
		versions := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return minorVersion(a) - minorVersion(b) })
		for _, version := range versions[1 : len(versions)-1] {
			delete(found, version)
		}
	}
	return found
}

// minorVersion returns the number after the first point.
func minorVersion(version string) int {
	minor, _ := strconv.Atoi(strings.Split(version+"..", ".")[1])
	return minor
}

// managedFrame is a frame of Python as Python and JSON have it.
type managedFrame struct {
	Function, File string
	Line           int
}

// managedStacks returns the managed frames of each thread of a JSON document, or of that of its first
// process, the innermost first.
func managedStacks(t *testing.T, document string) map[string][]managedFrame {
	t.Helper()
	var group struct{ Processes []json.RawMessage }
	if err := json.Unmarshal([]byte(document), &group); err == nil && len(group.Processes) > 0 {
		document = string(group.Processes[0])
	}
	var d struct {
		Images  []struct{ Runtime bool }
		Threads []struct {
			ID    json.Number
			Nodes []struct {
				Function, File string
				Line           int
				Image          *int
			}
		}
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil {
		t.Fatal(err)
	}
	stacks := map[string][]managedFrame{}
	for _, th := range d.Threads {
		var frames []managedFrame
		for _, n := range th.Nodes {
			if n.Image != nil && d.Images[*n.Image].Runtime {
				frames = append(frames, managedFrame{n.Function, n.File, n.Line})
			}
		}
		slices.Reverse(frames)
		stacks[th.ID.String()] = frames
	}
	return stacks
}

// ownStacks decodes the stacks that testdata/frames.py prints.
func ownStacks(t *testing.T, line string) map[string][]managedFrame {
	t.Helper()
	var d map[string][][3]any
	if err := json.Unmarshal([]byte(line), &d); err != nil {
		t.Fatal(err)
	}
	stacks := map[string][]managedFrame{}
	for id, frames := range d {
		for _, f := range frames {
			stacks[id] = append(stacks[id], managedFrame{f[0].(string), f[1].(string), int(f[2].(float64))})
		}
	}
	return stacks
}

// startThreads starts testdata/frames.py, and returns the stacks that it prints.
func startThreads(t *testing.T, python string, times int) (pid string, own map[string][]managedFrame) {
	t.Helper()
	pid, line := startLine(t, python, "testdata/frames.py", strconv.Itoa(times))
	return pid, ownStacks(t, line)
}

// startLine runs a program until the test ends, and returns its first line.
func startLine(t *testing.T, args ...string) (pid, line string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err = bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid), line
}

// compareStacks compares the stacks of a JSON document with the program's own.
func compareStacks(t *testing.T, what, document string, own map[string][]managedFrame) {
	t.Helper()
	got := managedStacks(t, document)
	for id, want := range own {
		if d := cmp.Diff(want, got[id]); d != "" {
			t.Errorf("%s: thread %s:\n%s", what, id, d)
		}
	}
}

// TestPythonFrames are those that Python itself has of its threads: each function, file and line,
// in order, in a snapshot, in samples, and from a recording.
func TestPythonFrames(t *testing.T) {
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			pid, own := startThreads(t, python, 2)
			save := filepath.Join(t.TempDir(), "a.snap")
			for _, args := range [][]string{{"-p", pid}, {"-p", pid, "--save", save}, {save}, {"-p", pid, "-n", "5", "--save", save}, {save},
				{"-p", pid, "-n", "5", "--no-stop", "--save", save}, {save}, {"--system", "-p", pid}, {"--system", "-p", pid, "-n", "2"}} {
				r := snap(t, append(args, "-f", "json", "-o", "-")...)
				if r.code != exitOK {
					t.Fatalf("%v: exit code %d: %s", args, r.code, r.err)
				}
				compareStacks(t, strings.Join(args, " "), r.out, own)
			}
		})
	}
}

// TestPythonShares: each function of a program that runs has its share of the samples, and hardly
// any sample lacks its Python frames.
func TestPythonShares(t *testing.T) {
	const samples, tolerance = 2000, 0.05
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			cmd := start(t, python, "testdata/shares.py")
			for _, how := range [][]string{nil, {"--no-stop"}} {
				r := snap(t, append(how, "-p", pid(cmd), "-n", strconv.Itoa(samples), "-f", "folded", "-o", "-")...)
				if r.code != exitOK {
					t.Fatalf("exit code %d: %s", r.code, r.err)
				}
				for function, want := range map[string]float64{"energy": 0.7, "mass": 0.2, "rest": 0.1, "<module>": 1} {
					if got := float64(samplesWith(t, r.out, function)) / samples; math.Abs(got-want) > tolerance {
						t.Errorf("%v: %s has %.3f of the samples, want %.3f", how, function, got, want)
					}
				}
			}
		})
	}
}

// samplesWith counts the samples of folded stacks that have a function.
func samplesWith(t *testing.T, folded, function string) (n int) {
	t.Helper()
	for line := range strings.Lines(folded) {
		at := strings.LastIndexByte(line, ' ')
		stack, count := line[:max(0, at)], strings.TrimSpace(line[at+1:])
		if !slices.Contains(strings.Split(stack, ";"), function) {
			continue
		}
		more, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		n += more
	}
	return n
}

// TestPythonFramesOfCore are those of the live process, of a core that has the heap.
func TestPythonFramesOfCore(t *testing.T) {
	need(t, "gcore")
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			pid, own := startThreads(t, python, 1)
			core := filepath.Join(t.TempDir(), "core")
			if out, err := exec.Command("gcore", "-o", core, pid).CombinedOutput(); err != nil {
				t.Fatalf("gcore: %v\n%s", err, out)
			}
			r := snap(t, core+"."+pid, "-f", "json", "-o", "-")
			if r.code != exitOK {
				t.Fatalf("exit code %d: %s", r.code, r.err)
			}
			compareStacks(t, "core", r.out, own)
		})
	}
}
