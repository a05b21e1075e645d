//go:build linux || darwin

package scriptstest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestMain: under another name this is a small process to look at, which lives
// until its standard input ends, busy or idle.
func TestMain(m *testing.M) {
	if mode := os.Getenv("TARGET_MODE"); mode != "" {
		beTarget(mode)
		return
	}
	os.Exit(m.Run())
}

func beTarget(mode string) {
	if mode == "busy" {
		go func() {
			for i := 0; i >= 0; i++ { // for centuries
			}
		}()
	}
	_, _ = os.Stdout.WriteString("up\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// target is a small process.
type target struct {
	pid int
	in  io.Closer
	cmd *exec.Cmd
}

// start runs a process of that name. Names are at most 15 bytes, as Linux cuts
// them.
func start(t *testing.T, name, mode string) *target {
	t.Helper()
	needUserland(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "TARGET_MODE="+mode)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g := &target{cmd.Process.Pid, in, cmd}
	t.Cleanup(g.end)
	_, _ = io.ReadFull(out, make([]byte, len("up\n")))
	return g
}

func (g *target) end() {
	_ = g.in.Close()
	_ = g.cmd.Wait()
}

func (g *target) String() string { return strconv.Itoa(g.pid) }

// bench is a place to run scripts in.
type bench struct {
	t    *testing.T
	log  string
	dir  string
	env  []string
	fake string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	needUserland(t)
	fake, err := filepath.Abs("testdata/stacksnap")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &bench{t: t, log: filepath.Join(dir, "log"), dir: filepath.Join(dir, "captures of one"), fake: fake}
}

// needUserland skips where a program is missing that every Unix has and the scripts use.
func needUserland(t *testing.T) {
	t.Helper()
	needs.Tools(t, "sh", "awk", "find", "grep", "ps", "sed", "tar", "gzip")
}

func script(name string) string {
	path, err := filepath.Abs(filepath.Join("..", name))
	if err != nil {
		panic(err)
	}
	return path
}

// writeProgram is os.WriteFile of what is executed afterwards. A process that another
// test starts meanwhile would hold the file open for writing for a moment, in which it
// cannot be executed.
func writeProgram(path string, text []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, mode)
}

// result is how a script ended.
type result struct {
	code     int
	out, err string
}

func (b *bench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(script(name), args...)
	cmd.Dir = filepath.Dir(b.dir)
	cmd.Env = append(append(os.Environ(), "FAKE_LOG="+b.log, "STACKSNAP="+b.fake), b.env...)
	return cmd
}

func (b *bench) run(name string, args ...string) result {
	b.t.Helper()
	return ended(b.t, b.command(name, args...))
}

// ended runs a command to its end.
func ended(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	said := toFiles(t, cmd)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	out, errs := said()
	return result{cmd.ProcessState.ExitCode(), out, errs}
}

// toFiles has a command print to files, and returns what reads them: what a script
// leaves behind for a moment, such as a sleep, would keep pipes open.
func toFiles(t *testing.T, cmd *exec.Cmd) (said func() (out, errs string)) {
	t.Helper()
	dir := t.TempDir()
	out, outErr := os.Create(filepath.Join(dir, "out"))
	errs, err := os.Create(filepath.Join(dir, "err"))
	if err = errors.Join(outErr, err); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = out.Close(), errs.Close() })
	cmd.Stdout, cmd.Stderr = out, errs
	return func() (string, string) {
		o, outErr := os.ReadFile(out.Name())
		e, err := os.ReadFile(errs.Name())
		if err = errors.Join(outErr, err); err != nil {
			t.Fatal(err)
		}
		return string(o), string(e)
	}
}

// calls lists how stacksnap was called.
func (b *bench) calls() []string {
	text, _ := os.ReadFile(b.log)
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// captured lists the files in the folder for captures.
func (b *bench) captured() []string {
	entries, _ := os.ReadDir(b.dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (b *bench) put(names ...string) {
	b.t.Helper()
	_ = os.MkdirAll(b.dir, 0o700)
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte("old"), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
