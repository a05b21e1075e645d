//go:build linux || darwin

package scriptstest

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// watched is a script that runs on.
type watched struct {
	cmd  *exec.Cmd
	errs bytes.Buffer
	done chan error
}

// watch starts a script that watches something, and ends it with the test.
func (b *bench) watch(name string, args ...string) *watched {
	b.t.Helper()
	w := &watched{cmd: b.command(name, args...), done: make(chan error, 1)}
	w.cmd.Stderr = &w.errs
	if err := w.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { w.done <- w.cmd.Wait(); close(ended) }()
	b.t.Cleanup(func() { _ = w.cmd.Process.Signal(syscall.SIGTERM); <-ended })
	return w
}

// code waits for the script's end.
func (w *watched) code() int {
	<-w.done
	return w.cmd.ProcessState.ExitCode()
}

func TestBusyProcessIsRecorded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "busy one", "busy")
	for i, target := range []string{g.String(), "busy one"} {
		r := b.run("capture-on-cpu.sh", "-p", target, "--above", "5", "--for=1", "--count=1", "--dir", b.dir, "-d", "4s")
		if r.code != 0 || len(b.captured()) != i+1 || !strings.Contains(r.err, "busy one ["+g.String()+"] has used") {
			t.Fatalf("exit %d, captured %v\n%s", r.code, b.captured(), r.err)
		}
	}
	if want := "[-p][" + g.String() + "][-d][4s][--save]["; !strings.HasPrefix(b.calls()[0], want) {
		t.Errorf("called %v, want %s…", b.calls(), want)
	}
}

// TestIdleProcessIsNotRecorded: a sleep ends by itself, and the watch with it.
func TestIdleProcessIsNotRecorded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sleep := exec.Command("sleep", "4")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = sleep.Wait() }()
	r := b.run("capture-on-cpu.sh", "-p", fmt.Sprint(sleep.Process.Pid), "--above", "5", "--for=1", "--dir", b.dir)
	if r.code != 0 || len(b.calls()) != 0 {
		t.Errorf("exit %d, called %v\n%s", r.code, b.calls(), r.err)
	}
}

// TestRecordingsAreRare: one is taken at once, and the next not before its time.
func TestRecordingsAreRare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	g := start(t, "busy long", "busy")
	w := b.watch("capture-on-cpu.sh", "-p", g.String(), "--above", "1", "--for=1", "--every", "2", "--count", "2", "--dir", b.dir)
	if code := w.code(); code != 0 || len(b.captured()) != 2 {
		t.Errorf("exit %d, captured %v", code, b.captured())
	}
	w = b.watch("capture-on-cpu.sh", "-p", g.String(), "--above", "1", "--for=1", "--every", "3600", "--dir", b.dir)
	eventually(t, "the first is taken", func() bool { return len(b.calls()) == 3 })
	idle := exec.Command("sleep", "3") // time in which more would be taken
	_ = idle.Run()
	g.end()
	if code := w.code(); code != 0 || len(b.calls()) != 3 {
		t.Errorf("exit %d, %d calls\n%s", code, len(b.calls()), w.errs.String())
	}
}

func TestTheNextProcessOfTheNameIsWatched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	w := b.watch("capture-on-cpu.sh", "-p", "come and go", "--above", "1", "--for=1", "--every=0", "--count=2", "--dir", b.dir)
	first := start(t, "come and go", "busy")
	eventually(t, "it is recorded", func() bool { return len(b.calls()) >= 1 })
	first.end()
	start(t, "come and go", "busy")
	if code := w.code(); code != 0 || len(b.captured()) < 2 {
		t.Errorf("exit %d, captured %v\n%s", code, b.captured(), w.errs.String())
	}
}

func TestCPUWatchEnds(t *testing.T) {
	t.Parallel()
	busy := start(t, "busy ends", "busy")
	for name, c := range map[string]struct {
		target string
		env    []string
		code   int
	}{
		"without such a process": {"999999999", nil, 3},
		"when refused":           {busy.String(), []string{"FAKE_EXIT=4"}, 4},
		"when called wrongly":    {busy.String(), []string{"FAKE_EXIT=2"}, 2},
	} {
		b := newBench(t)
		b.env = c.env
		r := b.run("capture-on-cpu.sh", "-p", c.target, "--above", "1", "--for=1", "--dir", b.dir)
		if r.code != c.code || r.err == "" {
			t.Errorf("%s: exit %d\n%s", name, r.code, r.err)
		}
	}
}

func TestCPUWatchEndsBySignal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env = []string{"FAKE_EXIT=1"}
	g := start(t, "busy signal", "busy")
	w := b.watch("capture-on-cpu.sh", "-p", g.String(), "--above", "1", "--for=1", "--every=0", "--dir", b.dir)
	eventually(t, "a failure was got over", func() bool { return len(b.calls()) >= 2 })
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	if code := w.code(); code != 0 || len(b.captured()) != 0 {
		t.Errorf("exit %d, captured %v\n%s", code, b.captured(), w.errs.String())
	}
}
