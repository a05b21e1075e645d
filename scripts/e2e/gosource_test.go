//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSourceOfGo wants of a live Go program, whole and with nothing that debuggers use,
// the functions, inlined calls, files and lines that its own traceback tells, and of a
// recording the same when the program is gone.
func TestSourceOfGo(t *testing.T) {
	need(t, "go")
	for _, tt := range []struct {
		name  string
		anew  bool // the standard library is built anew, which takes long
		flags []string
	}{
		{name: "whole"},
		{name: "stripped", flags: []string{"-ldflags=-s -w"}},
		{name: "position independent", anew: true, flags: []string{"-ldflags=-s -w", "-buildmode=pie"}},
	} {
		if tt.anew && !everything {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "goinlined")
			args := append(append([]string{"build"}, tt.flags...), "-o", out, "testdata/goinlined/main.go")
			if b, err := exec.Command("go", args...).CombinedOutput(); err != nil {
				t.Fatalf("go %v: %v\n%s", args, err, b)
			}
			wantGoSource(t, startGo(t, out))
		})
	}
}

func wantGoSource(t *testing.T, p goProgram) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "it.snap")
	var live result
	var got []string
	eventually(t, "the goroutine waits", func() bool {
		live = snap(t, "-p", pid(p.Cmd), "-f", "json", "--max-stop", "10s", "--save", file)
		got = goPlaces(t, live.out)
		return len(got) > 0
	})
	if again := snap(t, file, "-f", "json"); again.out != live.out {
		t.Errorf("the recording gives another report:\n%s", cmp.Diff(live.out, again.out))
	}
	tree := snap(t, file).out
	if !strings.Contains(tree, "main.leaf [inlined] (goinlined)") || strings.Count(tree, "main.wait + ") != 1 {
		t.Errorf("not once in\n%s", tree)
	}
	if want := tracedPlaces(p); len(got) < 4 || !slices.Equal(got, want) {
		t.Errorf("\n%q\nand Go's own traceback says\n%q", got, want)
	}
}

// goPlaces are the program's own functions on the thread that waits, the innermost
// first; nil where none does.
func goPlaces(t *testing.T, document string) (list []string) {
	t.Helper()
	var d struct {
		Threads []struct{ Nodes []sourceFrame }
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	for _, thread := range d.Threads {
		in := func(name string) bool {
			return slices.ContainsFunc(thread.Nodes, func(f sourceFrame) bool { return f.Function == name })
		}
		if !in("main.wait") || !in("syscall.Syscall") {
			continue
		}
		for _, f := range slices.Backward(thread.Nodes) {
			if strings.HasPrefix(f.Function, "main.") {
				list = append(list, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
			}
		}
	}
	return list
}

var tracedPlace = regexp.MustCompile(`(?m)^(main\.[\w.]+)\(.*\)\n\t(\S+:\d+)`)

// tracedPlaces ends the program and returns the same by its own traceback.
func tracedPlaces(p goProgram) (list []string) {
	_ = p.Process.Signal(syscall.SIGQUIT)
	_ = p.Wait()
	for goroutine := range strings.SplitSeq(p.err.String(), "\n\n") {
		if !strings.Contains(goroutine, "main.wait(") {
			continue
		}
		for _, m := range tracedPlace.FindAllStringSubmatch(goroutine, -1) {
			list = append(list, m[1]+" "+m[2])
		}
	}
	return list
}
