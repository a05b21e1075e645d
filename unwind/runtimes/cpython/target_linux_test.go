package cpython_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
	"stacksnap/unwind/runtimes/cpython"
)

// python is an interpreter that tests run.
type python struct {
	name    string // for the skip
	command []string
	version string // what Version returns; "": any
	named   bool   // the loop's functions have names
}

// pythons are the interpreters that may be installed: pyenv's, Debian's, and those that
// $STACKSNAP_PYTHONS lists as paths.
func pythons() []python {
	home, _ := os.UserHomeDir()
	list := []python{{"/usr/bin/python3.11", []string{"/usr/bin/python3.11"}, "", true}}
	for _, v := range []string{"3.8.18", "3.9.18", "3.10.13", "3.11.7", "3.12.1", "3.13.0"} {
		list = append(list, python{"python " + v, []string{filepath.Join(home, ".pyenv/versions", v, "bin/python3")}, v, true})
	}
	for _, p := range filepath.SplitList(os.Getenv("STACKSNAP_PYTHONS")) {
		list = append(list, python{p, []string{p}, "", false})
	}
	return list
}

// eachPython runs a test with each interpreter, and skips those that are missing.
func eachPython(t *testing.T, run func(t *testing.T, py python)) {
	for _, py := range pythons() {
		t.Run(py.name, func(t *testing.T) {
			if _, err := os.Stat(py.command[0]); errors.Is(err, fs.ErrNotExist) {
				needs.Skip(t, py.name, "not installed")
			}
			t.Parallel()
			run(t, py)
		})
	}
}

// target is a process of testdata/target.py, all of whose threads are blocked.
type target struct {
	named   bool // the loop's functions have names
	process task.Process
	memory  task.Memory
	images  *images.Map
	told    map[task.ThreadID][]task.ManagedFrame // what it said of itself
	names   map[task.ThreadID]string              // those of threading
	ids     map[task.Addr]task.ThreadID           // by pthread_self
	said    []byte                                // the same as told, as it was written
}

// start starts the interpreter with arguments that make it run target.py, and waits
// until it has written what its threads do.
func start(t *testing.T, py python, args ...string) *target {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	for i, a := range args {
		if a == "OUT" {
			args[i] = out
		}
	}
	cmd := exec.Command(py.command[0], append(py.command[1:], args...)...)
	stderr, err := os.Create(out + ".err")
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	cmd.Stderr = stderr
	cmd.Env = append(os.Environ(), "PYTHONPATH=testdata", "PYTHONDONTWRITEBYTECODE=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // a wait before would take its stops
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(out); err == nil {
			g := attach(t, cmd.Process.Pid, b)
			g.named = py.named
			return g
		}
		if time.Now().After(deadline) || ended(cmd.Process.Pid) {
			t.Fatalf("%v: not all threads block\n%s", cmd.Args, read(stderr))
		}
	}
}

// ended reports whether a process is waited for.
func ended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.Contains(b, []byte(") Z"))
}

func read(f *os.File) []byte {
	b, _ := os.ReadFile(f.Name())
	return b
}

func attach(t *testing.T, pid int, told []byte) *target {
	t.Helper()
	p, err := live.Open(pid)
	needs.Ptrace(t, err)
	task.SetLimits(p, task.Limits{MaxCopy: time.Minute})
	t.Cleanup(func() { p.Close() })
	m, errs := images.Load(p, nil, nil)
	for _, err := range errs {
		t.Log(err)
	}
	t.Cleanup(func() { m.Close() })
	g := &target{said: told, process: p, memory: p.Memory(), images: m, told: map[task.ThreadID][]task.ManagedFrame{}}
	g.decode(t, told)
	return g
}

// decode decodes what the target wrote.
func (g *target) decode(t *testing.T, b []byte) {
	t.Helper()
	var said struct {
		Threads map[task.ThreadID][][3]any
		Handles map[task.Addr]task.ThreadID
		Named   map[task.ThreadID]string
	}
	if err := json.Unmarshal(b, &said); err != nil {
		t.Fatal(err)
	}
	g.ids, g.names = said.Handles, said.Named
	for id, frames := range said.Threads {
		g.told[id] = decodeFrames(t, frames)
	}
}

// decodeFrames decodes frames that a target wrote: a function, a file in hexadecimal, for
// its name may be any bytes, and a line.
func decodeFrames(t *testing.T, written [][3]any) (frames []task.ManagedFrame) {
	t.Helper()
	for _, f := range written {
		file, err := hex.DecodeString(f[1].(string))
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, task.ManagedFrame{Function: f[0].(string), File: string(file), Line: int(f[2].(float64))})
	}
	return frames
}

// thread returns the thread of a value of pthread_self.
func (g *target) thread(handle task.Addr) (task.ThreadID, bool) {
	id, ok := g.ids[handle]
	return id, ok
}

// instance returns the CPython of the target.
func (g *target) instance(t *testing.T) *cpython.Instance {
	t.Helper()
	for _, im := range g.images.Images {
		p, err := cpython.Find(im, g.memory)
		if err != nil {
			t.Fatalf("%s: %v", im.Path, err)
		}
		if p != nil {
			return p
		}
	}
	t.Fatal("no CPython was found")
	return nil
}
