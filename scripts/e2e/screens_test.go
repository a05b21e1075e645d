//go:build linux && amd64 && screens

package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stacksnap/scripts/terminal"
)

var (
	update = flag.Bool("update", false, "rewrite testdata/screens/shown with what is shown now")
	keepIn = flag.String("keep", "", "a folder for the screens at load, for people to read")
)

// The first screen: its last row has the prompt of the pager or of the shell.
const (
	columns = 80
	rows    = 24
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
	text, err := terminal.Run(cmd, columns, rows)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return firstRows(text)
}

// styles are what colours and weights are written as (ECMA-48, SGR).
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// firstRows returns what is on the first screen of a terminal, without styles. A line
// that is too long goes on in the next row.
func firstRows(text []byte) string {
	var shown []string
	for line := range strings.Lines(string(styles.ReplaceAll(text, nil))) {
		row := []rune(strings.TrimRight(line, "\r\n"))
		for len(row) > columns {
			shown, row = append(shown, string(row[:columns])), row[columns:]
		}
		shown = append(shown, string(row))
	}
	return strings.Join(shown[:min(len(shown), rows-1)], "\n") + "\n"
}

func (s *situation) check(t *testing.T, screen string) {
	t.Helper()
	for _, want := range s.says {
		if !regexp.MustCompile(want).MatchString(joined(screen)) {
			t.Errorf("nothing matches %q", want)
		}
	}
	for _, want := range s.notYet {
		if regexp.MustCompile(want).MatchString(joined(screen)) {
			t.Errorf("%q is matched now: it goes to says", want)
		}
	}
	if bad := misleads.FindString(screen); bad != "" && !s.isIdle {
		t.Errorf("%q misleads", bad)
	}
	if t.Failed() {
		t.Logf("the first screen:\n%s", screen)
	}
}

// continued is where a line goes on in the next one, indented.
var continued = regexp.MustCompile(`\n {2,}`)

// joined returns a screen with each line and what continues it in one, without how long a wait has lasted.
func joined(screen string) string { return ageless(continued.ReplaceAllString(screen, " ")) }

// varying are the parts of a screen that differ from run to run.
var varying = regexp.MustCompile(`0x[0-9a-f]+|\d+(,\d{3})*(\.\d+)?( (µs|ms|s)\b)?`)

// constant returns what a headline always says. Whether all processes could be checked depends on which
// of them start and end meanwhile.
func constant(headline string) string {
	return varying.ReplaceAllString(strings.ReplaceAll(headline, ", of those that could be checked", ""), "#")
}

// compare requires that the headline is that of the screen which people have read.
func (s *situation) compare(t *testing.T, screen string) {
	t.Helper()
	file := filepath.Join("testdata", "screens", "shown", s.name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(screen), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	read, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s.varies {
		return
	}
	want, _, _ := strings.Cut(joined(string(read)), "\n")
	got, _, _ := strings.Cut(joined(screen), "\n")
	if constant(got) != constant(want) {
		t.Errorf("the headline is %q; people read %q", got, want)
	}
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
