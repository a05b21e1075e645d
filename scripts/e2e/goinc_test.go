//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestGoInC compares the callers of goroutines that have called C, on stacks of
// threads that no table leads away from, with what Go's own traceback says, of
// programs with all that debuggers use and with nothing.
func TestGoInC(t *testing.T) {
	need(t, "go", "gcc")
	for _, tt := range []struct {
		name, flag string
		anew       bool // the standard library is built anew, which takes long
	}{
		{"stripped", "-ldflags=-s -w", false}, {"whole", "-trimpath", true}, {"position independent", "-buildmode=pie", true},
	} {
		if tt.anew && !everything {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			const threads = 8
			p := startGo(t, buildGo(t, tt.flag), "8")
			var ours [][]string
			var report string
			for range 50 { // a goroutine may be between two calls of C
				report = snap(t, "-p", pid(p.Cmd), "--max-stop", "10s", "--no-merge", "--addresses").out
				if ours = inC(parseOurs(report)); len(ours) == threads {
					break
				}
			}
			if len(ours) != threads || strings.Contains(report, "(guess)") {
				t.Fatalf("%d threads are in C, want %d\n%s", len(ours), threads, report)
			}
			allReachBottom(t, report)
			if truth := p.traceback(t); !slices.EqualFunc(ours, truth, slices.Equal) {
				t.Errorf("callers\n%q\nand Go's own traceback says\n%q", ours, truth)
			}
		})
	}
}

func buildGo(t *testing.T, flag string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "gocalls")
	cmd := exec.Command("go", "build", flag, "-o", out, "../darwinlive/testdata/gocalls")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, b)
	}
	return out
}

// goProgram is one that prints its goroutines in the end.
type goProgram struct {
	*exec.Cmd
	err *bytes.Buffer
}

func startGo(t *testing.T, args ...string) goProgram {
	t.Helper()
	p := goProgram{exec.Command(args[0], args[1:]...), new(bytes.Buffer)}
	p.Env = append(p.Environ(), "GOTRACEBACK=all")
	p.Stderr = p.err
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasSuffix(line, " ready\n") {
		t.Fatalf("%v said %q, %v", args, line, err)
	}
	return p
}

// inC are the program's functions from main.end on outwards of each thread that is in
// C: what is further in is the same in all of them.
func inC(s stacks) (all [][]string) {
	within := []string{"runtime.asmcgocall", "runtime.cgocall", "main._Cfunc_outer", "main.wait"}
	for _, frames := range s {
		var names []string
		for _, f := range frames {
			names = append(names, strings.TrimSuffix(f.name, ".abi0"))
		}
		end := slices.Index(names, "main.end")
		if end < len(within) || !slices.Equal(names[end-len(within):end], within) {
			continue
		}
		all = append(all, own(names[end:]))
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

var tracedFunction = regexp.MustCompile(`(?m)^([\w./]+)\(`)

// own leaves out the functions of the runtime, not all of which it tells of itself.
func own(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "runtime.") })
}

// traceback ends the program and returns the same of its goroutines, by itself.
func (p goProgram) traceback(t *testing.T) (all [][]string) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	for goroutine := range strings.SplitSeq(p.err.String(), "\n\n") {
		var names []string
		for _, m := range tracedFunction.FindAllStringSubmatch(goroutine, -1) {
			names = append(names, m[1])
		}
		if end := slices.Index(names, "main.end"); end >= 0 {
			all = append(all, own(names[end:]))
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}
