//go:build linux

package procfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// TestOpeningIsTriedAgain: only what is between two programs, and not for ever.
func TestOpeningIsTriedAgain(t *testing.T) {
	between := noMemoryError{&task.NoProcessError{PID: 1}}
	other := errors.New("another reason")
	for _, tt := range []struct {
		name  string
		each  func(try int) error
		tries int
		want  error
	}{
		{"between two programs for ever", func(int) error { return between }, openTries, between},
		{"at the last try another reason", func(try int) error {
			if try == openTries {
				return other
			}
			return between
		}, openTries, other},
		{"another reason at once", func(int) error { return other }, 1, other},
		{"another reason later", func(try int) error {
			if try == 3 {
				return other
			}
			return between
		}, 3, other},
	} {
		tries := 0
		p, err := openWith(os.Getpid(), func(*Process, int) error { tries++; return tt.each(tries) })
		if p != nil || tries != tt.tries || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d tries, want %d; %v", tt.name, tries, tt.tries, err)
		}
	}
}

// fakeProc makes a folder of /proc.
func fakeProc(t *testing.T, files map[string]string) Dir {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		writeFile(t, filepath.Join(dir, name), text)
	}
	return Dir{fd: openPath(t, dir)}
}

// TestEndingIsOfAllThreads: a process ends when each of its threads does.
func TestEndingIsOfAllThreads(t *testing.T) {
	stat := func(state byte, flags int) string {
		return fmt.Sprintf("1 (a) %c 1 1 1 0 -1 %d 1 2 3 4 5 6 7 8 20 0 1 0 99\n", state, flags)
	}
	lives, exits, zombie := stat('S', 0x400000), stat('R', 0x400000|exiting), stat('Z', 0x400000)
	for _, test := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"lives", map[string]string{"stat": lives, "task/1/stat": lives}, false},
		{"only the first ends", map[string]string{"stat": exits, "task/1/stat": exits, "task/2/stat": lives}, false},
		{"only the first has ended", map[string]string{"stat": zombie, "task/1/stat": zombie, "task/2/stat": lives}, false},
		{"all end", map[string]string{"stat": exits, "task/1/stat": zombie, "task/2/stat": exits}, true},
		{"no threads are told", map[string]string{"stat": zombie}, true},
		{"no more", nil, true},
	} {
		p := &Process{dir: fakeProc(t, test.files)}
		if got := p.IsEnding(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestRefusalOfWhatEnds wants a refusal by the files of a process that has just
// ended, which belong to root by then, to be told as its end; and only that.
func TestRefusalOfWhatEnds(t *testing.T) {
	g := startTarget(t)
	p := openTarget(t, g.pid)
	var permission *task.PermissionError
	if err := p.refused("mem", unix.EACCES); !errors.As(err, &permission) {
		t.Errorf("refused while it lives: %v", err)
	}
	if err := p.refused("mem", unix.EMFILE); !errors.Is(err, unix.EMFILE) || errors.As(err, new(*task.NoProcessError)) {
		t.Errorf("no file left: %v", err)
	}
	if err := unix.Kill(g.pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	must(t, unix.Waitid(unix.P_PID, g.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)) // a zombie from here on
	for name, err := range map[string]error{
		"a zombie's file, denied": p.refused("mem", unix.EACCES),
		"a zombie's file, gone":   p.refused("maps", unix.ESRCH),
		"a zombie's mappings":     p.readFirstMaps(),
	} {
		if !errors.As(err, new(*task.NoProcessError)) || !errors.As(err, new(noMemoryError)) || errors.As(err, &permission) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = g.Wait()
	for name, err := range map[string]error{
		"a file, denied": p.refused("mem", unix.EPERM), "the mappings": p.readFirstMaps(),
	} {
		if !errors.As(err, new(*task.NoProcessError)) {
			t.Errorf("%s, after it was waited for: %v", name, err)
		}
	}
}
