//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// pythonModule has CPython for macOS, and pythonVersion is the one that runs in the Darwin user
// space.
const (
	pythonModule  = "github.com/kluctl/go-embed-python"
	pythonVersion = "v0.0.0-3.14.6-20260610-1"
)

// packed is a file of the module's list, files.json.
type packed struct {
	Name, Symlink string
	Perm          fs.FileMode
	Compressed    bool
}

// python returns the interpreter, unpacked once.
func python(t testing.TB) string {
	t.Helper()
	from := filepath.Join(moduleDir(t), "python", "internal", "data", "darwin-"+runtime.GOARCH)
	return filepath.Join(once(t, "python", func(out string) error { return unpack(from, out) }), "bin", "python3.14")
}

// moduleDir returns the folder of the module, which Go downloads if it is not there yet.
func moduleDir(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", pythonModule+"@"+pythonVersion)
	cmd.Dir = t.TempDir() // in no module
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if bad := json.Unmarshal(out, &module); bad != nil {
		t.Fatalf("%v, %v: %s", err, bad, out)
	}
	if module.Error != "" {
		needs.Skip(t, pythonModule, module.Error)
	}
	if err != nil {
		t.Fatal(err)
	}
	return module.Dir
}

// unpack makes the files of a list in another folder.
func unpack(from, to string) error {
	list, err := os.ReadFile(filepath.Join(from, "files.json"))
	var all struct{ Files []packed }
	if err = errors.Join(err, json.Unmarshal(list, &all)); err != nil {
		return err
	}
	for i := range all.Files {
		if err := all.Files[i].unpack(from, to); err != nil {
			return err
		}
	}
	return nil
}

// unpack makes the file. A folder is listed before what is in it.
func (f *packed) unpack(from, to string) error {
	path := filepath.Join(to, f.Name)
	switch {
	case f.Perm.IsDir():
		return os.MkdirAll(path, 0o755)
	case f.Symlink != "":
		return os.Symlink(f.Symlink, path)
	case !f.Compressed:
		b, err := os.ReadFile(filepath.Join(from, f.Name))
		return errors.Join(err, os.WriteFile(path, b, f.Perm.Perm()))
	}
	in, err := os.Open(filepath.Join(from, f.Name+".gz"))
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(z)
	return errors.Join(err, os.WriteFile(path, b, f.Perm.Perm()))
}

// pythonFrame is a frame as Python itself has it: function, file and line.
type pythonFrame [3]any

func (f pythonFrame) String() string { return fmt.Sprintf("%v %v:%v", f[0], f[1], f[2]) }

// pythonStacks are what testdata/blocked.py writes: the frames of each thread, by its system
// number, and of each task, the innermost first.
type pythonStacks struct {
	Threads map[uint64][]pythonFrame
	Tasks   [][]pythonFrame
}

// TestPython compares the frames of threads that wait for a threading.Lock, sleep, and run an
// event loop, and those of its tasks, with what Python itself has of them: live, and from a
// recording on this machine.
func TestPython(t *testing.T) {
	interpreter := python(t)
	script, err := filepath.Abs(filepath.Join("testdata", "blocked.py"))
	if err != nil {
		t.Fatal(err)
	}
	liveIn(t, likeXNU(), 2*time.Minute, func(r *room) {
		dir := r.TempDir()
		file, saved := filepath.Join(dir, "stacks.json"), filepath.Join(dir, "it.snap")
		p := r.target(interpreter, r.inside(script), r.inside(file))
		var own pythonStacks
		b, err := os.ReadFile(file)
		if err = errors.Join(err, json.Unmarshal(b, &own)); err != nil || len(own.Threads) != 4 || len(own.Tasks) != 4 {
			r.Fatalf("%v: Python says %s", err, b)
		}
		r.comparePython("live", r.report("-p", fmt.Sprint(p.pid), "--save", r.inside(saved)), &own)
		if runtime.GOOS == "linux" {
			r.comparePython("its recording", r.parse(r.ok(r.onLinux(saved, "-f", "json"))), &own)
		}
	})
}

// comparePython requires each thread and task that Python has, with its frames.
func (r *room) comparePython(what string, rep *report, own *pythonStacks) {
	r.Helper()
	want, got := own.lines(), []string{}
	for i := range rep.Threads {
		if th := &rep.Threads[i]; own.Threads[th.ID] != nil {
			got = append(got, fmt.Sprint("thread ", th.ID, rep.managed(th.Nodes)))
		}
	}
	for i := range rep.Tasks {
		task := fmt.Sprint("task ", rep.managed(rep.Tasks[i].Nodes))
		got = append(got, slices.Repeat([]string{task}, rep.Tasks[i].Count)...)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.Errorf("%s is\n%s\nPython has\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// lines returns a line for each thread and task.
func (s *pythonStacks) lines() (lines []string) {
	for id, frames := range s.Threads {
		lines = append(lines, fmt.Sprint("thread ", id, frames))
	}
	for _, frames := range s.Tasks {
		lines = append(lines, fmt.Sprint("task ", frames))
	}
	slices.Sort(lines)
	return lines
}

// managed returns the frames of Python in a stack, the innermost first.
func (rep *report) managed(stack []node) (frames []pythonFrame) {
	for _, n := range slices.Backward(stack) {
		if n.Image != nil && rep.Images[*n.Image].Runtime {
			frames = append(frames, pythonFrame{n.Function, n.File, n.Line})
		}
	}
	return frames
}
