//go:build linux && amd64 && screens

package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"stacksnap/scripts/firstscreen"
	"stacksnap/scripts/terminal"
)

var (
	update = flag.Bool("update", false, "rewrite testdata/screens/shown with what is shown now")
	keepIn = flag.String("keep", "", "a folder for the screens at load, for people to read")
)

// busyProcesses keep the processors busy beside a broken program, in the second run.
const busyProcesses = 16

// The tests of first screens are built with the tag screens. Each breaks a program in a
// way of its own, runs stacksnap on it at a terminal, and requires that the first screen
// names the cause and says nothing that misleads. testdata/screens/shown has each screen
// as people last read it; its headline must be the same now, but for numbers.
//
//	go test -tags screens -run TestFirstScreen ./scripts/e2e            # as the machine is, then at a load of 16
//	go test -tags screens -run TestFirstScreen ./scripts/e2e -update    # rewrites testdata/screens/shown
//	go test -tags screens -run TestFirstScreenAtLoad ./scripts/e2e -keep DIR

// TestFirstScreen: the first screen of each situation names the cause.
func TestFirstScreen(t *testing.T) {
	for i := range situations {
		s := &situations[i]
		t.Run(s.name, func(t *testing.T) {
			screen := s.screen(t)
			s.check(t, screen)
			s.compare(t, screen)
		})
	}
}

// TestFirstScreenAtLoad: the first screen names the cause on a busy machine, too.
func TestFirstScreenAtLoad(t *testing.T) {
	keepBusy(t, busyProcesses)
	for i := range situations {
		s := &situations[i]
		t.Run(s.name, func(t *testing.T) {
			screen := s.screen(t)
			s.check(t, screen)
			s.keep(t, screen)
		})
	}
}

// screen starts the broken program and returns the first screen of a report on it.
func (s *situation) screen(t *testing.T) string {
	t.Helper()
	pid := s.start(t)
	cmd := exec.Command(stacksnap, strconv.Itoa(pid))
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "PAGER=cat")
	text, err := terminal.Run(cmd, firstscreen.Columns, firstscreen.Rows)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return firstscreen.Of(text)
}

func (s *situation) check(t *testing.T, screen string) {
	t.Helper()
	for _, want := range s.says {
		if !firstscreen.Says(screen, want) {
			t.Errorf("nothing matches %q", want)
		}
	}
	for _, want := range s.notYet {
		if firstscreen.Says(screen, want) {
			t.Errorf("%q is matched now: it goes to says", want)
		}
	}
	if bad := firstscreen.Misleading(screen); bad != "" && !s.isIdle {
		t.Errorf("%q misleads", bad)
	}
	if t.Failed() {
		t.Logf("the first screen:\n%s", screen)
	}
}

// compare requires that the headline is that of the screen which people have read.
func (s *situation) compare(t *testing.T, screen string) {
	t.Helper()
	g := firstscreen.Golden{File: filepath.Join("testdata", "screens", "shown", s.name+".txt"), Update: *update, Varies: s.varies}
	g.Compare(t, screen)
}

// keep writes a screen for people to read, if it is to be kept.
func (s *situation) keep(t *testing.T, screen string) {
	t.Helper()
	if *keepIn == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*keepIn, s.name+".txt"), []byte(screen), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keepBusy starts n processes that compute until the test ends.
func keepBusy(t *testing.T, n int) {
	t.Helper()
	for range n {
		startBroken(t, exec.Command("sh", "-c", "while :; do :; done"))
	}
}

// startBroken starts a command in a process group of its own, which is killed at the
// test's end: what is broken does not end when it is asked to.
func startBroken(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}
