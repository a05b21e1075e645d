//go:build unix

package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// needShell skips where there is no /bin/sh, or no sh in the path.
func needShell(t *testing.T) {
	t.Helper()
	_, err := os.Stat("/bin/sh")
	needs.Feature(t, "/bin/sh", err, fs.ErrNotExist)
	needs.Tool(t, "sh")
}

// launch starts a program whose standard input and output are pipes.
func launch(t *testing.T, argv ...string) (l *Launched, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	theirIn, in := pipe(t)
	out0, theirOut := pipe(t)
	l, err := Launch(argv, [3]*os.File{theirIn, theirOut, os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	_ = theirIn.Close()
	_ = theirOut.Close()
	return l, in, bufio.NewReader(out0)
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return r, w
}

func finish(t *testing.T, l *Launched, want int) {
	t.Helper()
	if code, err := l.Finish(); code != want || err != nil {
		t.Errorf("finished with %d, %v; want %d", code, err, want)
	}
}

func TestLaunchPassesTheStatusOn(t *testing.T) {
	needShell(t)
	for script, want := range map[string]int{
		"exit 0":         0,
		"exit 1":         1,
		"exit 255":       255,
		"kill -TERM $$":  128 + 15,
		"kill -KILL $$":  128 + 9,
		"exec sh -c :":   0,
		`exit "$1"`:      17,
		"test $# = 2":    0,
		"no_such_thing_": 127,
	} {
		l, _, _ := launch(t, "sh", "-c", script+" 2>/dev/null", "sh", "17", "a b")
		finish(t, l, want)
	}
}

func TestLaunchedSpeaksThroughTheFilesGiven(t *testing.T) {
	needShell(t)
	l, in, out := launch(t, "/bin/sh", "-c", `read line; echo "$$ got $line"`)
	_, _ = io.WriteString(in, "this\n")
	line, err := out.ReadString('\n')
	if pid, rest, _ := strings.Cut(line, " "); err != nil || rest != "got this\n" || pid != strconv.Itoa(l.PID) {
		t.Errorf("pid %d said %q, %v", l.PID, line, err)
	}
	finish(t, l, 0)
}

// TestLaunchIsInOurGroup: a terminal sends its signals to a process group.
func TestLaunchIsInOurGroup(t *testing.T) {
	needShell(t)
	l, in, out := launch(t, "sh", "-c", "echo up; read line")
	_, _ = out.ReadString('\n')
	if group, err := syscall.Getpgid(l.PID); err != nil || group != syscall.Getpgrp() {
		t.Errorf("group %d, %v; ours is %d", group, err, syscall.Getpgrp())
	}
	_ = in.Close()
	finish(t, l, 1)
}

func TestLaunchErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PATH", dir)
	file("data", "no program", 0o600)
	for program, want := range map[string]struct {
		code int
		says string
	}{
		"no-such-program":                      {127, "no-such-program: no such program"},
		"":                                     {127, "no such program"},
		filepath.Join(dir, "none"):             {127, "none: no such program"},
		filepath.Join(dir, "none", "deeper"):   {127, "no such program"},
		file("plain", "text", 0o600):           {126, "permission denied"},
		dir:                                    {126, "is a directory"},
		file("bare", "echo no shebang", 0o755): {126, "must begin with #!"},
		file("odd", "#!/no/such\n", 0o755):     {126, "no such file"},
	} {
		_, err := Launch([]string{program}, [3]*os.File{})
		var e *LaunchError
		if !errors.As(err, &e) || e.Code != want.code || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%q: %v (%+v), want %d and %q", program, err, e, want.code, want.says)
		}
	}
}

func TestLaunchFindsProgramsInTheCurrentFolderIfPATHHasIt(t *testing.T) {
	needShell(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here"), []byte("#!/bin/sh\nexit 5\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("PATH", ".")
	if _, err := exec.LookPath("here"); !errors.Is(err, exec.ErrDot) {
		needs.Skip(t, "GODEBUG without execerrdot=0", fmt.Sprint("programs in the current folder are found: ", err))
	}
	l, _, _ := launch(t, "here")
	finish(t, l, 5)
}
