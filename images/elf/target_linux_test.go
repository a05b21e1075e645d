package elf

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
)

// target is a running testdata/target.c.
type target struct {
	*liveProcess
	path  string
	facts map[string][]task.Addr // what it printed
}

// buildTarget compiles testdata/target.c to a path.
func buildTarget(t *testing.T, path string, flags ...string) string {
	t.Helper()
	args := append([]string{"-O1", "-o", path, "testdata/target.c"}, flags...)
	if out, err := exec.Command(needs.Compiler(t, "gcc", flags...), args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, out)
	}
	return path
}

// dynamicFlags make a program that can open libraries.
var dynamicFlags = []string{"-DWITH_DL", "-ldl"}

// buildLibrary makes a library whose function library_marker returns n.
func buildLibrary(t *testing.T, path string, n int, flags ...string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "library.c")
	code := "static volatile int x;\nint library_marker(void) { for (int i = 0; i < " + strconv.Itoa(n) + "; i++) x++; return " + strconv.Itoa(n) + "; }\n"
	if err := os.WriteFile(source, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, tool(t, "gcc"), append([]string{"-shared", "-fPIC", "-nostdlib", "-Wl,--build-id", "-o", path, source}, flags...)...)
	return path
}

// start runs a target until it waits. It ends with the test.
func start(t *testing.T, cmd *exec.Cmd) *target {
	t.Helper()
	out := procfstest.StartPiped(t, cmd)
	p := &target{path: cmd.Path, facts: make(map[string][]task.Addr)}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
		key, value, _ := strings.Cut(lines.Text(), " ")
		a, err := strconv.ParseUint(value, 16, 64)
		if err != nil || a == 0 {
			t.Fatalf("the target says %q", lines.Text())
		}
		p.facts[key] = append(p.facts[key], task.Addr(a))
	}
	if lines.Text() != "ready" {
		t.Fatal("the target did not start")
	}
	p.liveProcess = openLive(t, cmd.Process.Pid)
	return p
}

// load loads the images and wants no error.
func (p *target) load(t *testing.T, l Loader) []object.Placed {
	t.Helper()
	placed, errs := l.Load(p)
	for _, err := range errs {
		t.Error(err)
	}
	t.Cleanup(func() {
		for _, im := range placed {
			if im.File != nil {
				im.File.Close()
			}
		}
	})
	return placed
}

func (p *target) loader() Loader { return LiveLoader(p.info.PID) }

// imageAt returns the image that an address is in.
func imageAt(t *testing.T, placed []object.Placed, a task.Addr) object.Placed {
	t.Helper()
	for _, im := range placed {
		if im.File == nil {
			continue
		}
		for _, s := range im.File.Segments() {
			if at := im.Addr(s.VMAddr); a >= at && uint64(a-at) < s.Size {
				return im
			}
		}
	}
	t.Fatalf("no image at %v", a)
	return object.Placed{}
}

// wantFunction wants an address to be the start of a function.
func wantFunction(t *testing.T, im object.Placed, a task.Addr, name string) {
	t.Helper()
	s, ok := im.File.Symbol(im.VMAddr(a))
	if s.Name != name || im.Addr(s.VMAddr) != a || !ok {
		t.Errorf("%v in %s: got %+v, %v; want %s", a, im.Path, s, ok, name)
	}
}

// inRoot runs a command with another root directory; only root may.
func inRoot(t *testing.T, root string, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	needs.Root(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	return cmd
}
