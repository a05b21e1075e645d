//go:build linux

package e2e

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestKilledAtWork kills stacksnap while it samples, watches for hangs, and
// samples a program that it has started: the target runs on, and what was
// written opens. STACKSNAP_KILLS says how often, of all three together.
func TestKilledAtWork(t *testing.T) {
	kills := (killsOr(60) + 2) / 3
	t.Run("sampling", func(t *testing.T) { killSampling(t, kills) })
	t.Run("hang", func(t *testing.T) { killWatching(t, kills) })
	t.Run("launch", func(t *testing.T) { killLaunching(t, kills) })
}

// killSoon kills a running stacksnap at a random moment; nothing depends on what
// it was doing then.
func killSoon(cmd *exec.Cmd, within time.Duration) {
	<-time.After(rand.N(within))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// moments is a time in which stacksnap starts, and has worked for a while.
func moments(t *testing.T, w worker) time.Duration {
	return 2*wallTime(t, w.pid()) + 150*time.Millisecond
}

// momentsOfLaunch is moments with a worker that then ends: it keeps all processors busy.
func momentsOfLaunch(t *testing.T) time.Duration {
	w := startWorker(t)
	defer func() { _ = w.process.Kill() }()
	return moments(t, w)
}

func killSampling(t *testing.T, kills int) {
	w := startWorker(t)
	within := moments(t, w)
	whole, none := 0, 0
	for i := range kills {
		file := filepath.Join(t.TempDir(), "saved")
		args := []string{"-p", w.pid(), "-d", "1h", "--save", file}
		if i%2 == 1 {
			args = append(args, "--suspend", "task")
		}
		cmd := exec.Command(stacksnap, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killSoon(cmd, within)
		w.runsOn(t)
		countOpened(opens(t, file), &whole, &none)
	}
	t.Logf("%d kills within %v: %d recordings with snapshots, %d before the first", kills, within, whole, none)
}

func countOpened(some bool, whole, none *int) {
	if some {
		*whole++
	} else {
		*none++
	}
}

// opens reopens a recording that was cut off, and reports whether it has
// snapshots. There may be none yet, or no file.
func opens(t *testing.T, file string) bool {
	t.Helper()
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		return false
	}
	r := snap(t, file)
	none := strings.Contains(r.err, "before its first snapshot was whole")
	switch {
	case r.code != exitOK && !strings.Contains(r.err, "was cut off"):
		t.Errorf("%s: exit code %d: %s", file, r.code, r.err)
	case !none && !strings.Contains(r.out, "Process:"):
		t.Errorf("%s: the report is %q: %s", file, r.out, r.err)
	}
	return !none
}

// spinner is the id of a thread of testdata/work.c that is always busy.
func spinner(t *testing.T, w worker) string {
	t.Helper()
	const third = 3 // the main thread comes first
	tasks, err := os.ReadDir("/proc/" + w.pid() + "/task")
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int, len(tasks))
	for i := range tasks {
		ids[i], _ = strconv.Atoi(tasks[i].Name())
	}
	slices.Sort(ids)
	return strconv.Itoa(ids[third])
}

func killWatching(t *testing.T, kills int) {
	w := startWorker(t)
	within := moments(t, w)
	reports, recordings := 0, 0
	for range kills {
		dir := t.TempDir()
		cmd := exec.Command(stacksnap, "-p", w.pid(), "--thread", spinner(t, w), "--dir", dir,
			"--hang", "20ms", "--max-hang", "30ms", "--every", "50ms")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killSoon(cmd, within)
		w.runsOn(t)
		some, saved := readReports(t, dir)
		reports, recordings = reports+some, recordings+saved
	}
	t.Logf("%d kills within %v: %d reports, all whole; %d recordings with snapshots", kills, within, reports, recordings)
}

// readReports checks the files that a watch left: a report is written whole or
// not at all, and a recording opens. It counts those that have something.
func readReports(t *testing.T, dir string) (reports, recordings int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "stacksnap-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".txt" {
			if opens(t, file) {
				recordings++
			}
			continue
		}
		reports++
		b, err := os.ReadFile(file)
		if text := string(b); err != nil || !strings.Contains(text, "Process:") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
	return reports, recordings
}

func killLaunching(t *testing.T, kills int) {
	program := compile(t, "work", "-O1")
	within := momentsOfLaunch(t)
	whole, none, started := 0, 0, 0
	for range kills {
		file := filepath.Join(t.TempDir(), "saved")
		if launchAndKill(t, program, file, within) {
			started++
		}
		countOpened(opens(t, file), &whole, &none)
	}
	t.Logf("%d kills within %v: %d had started the program; %d recordings with snapshots, %d before the first",
		kills, within, started, whole, none)
}

// launchAndKill has stacksnap start a worker and kills it, not the worker. It
// reports whether the worker was started before.
func launchAndKill(t *testing.T, program, file string, within time.Duration) bool {
	t.Helper()
	w := worker{file: filepath.Join(t.TempDir(), "counts")}
	cmd := exec.Command(stacksnap, "--save", file, "--", program, w.file)
	input, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	defer hold.Close() // the worker ends then
	output, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdin, cmd.Stdout = input, said
	err = cmd.Start()
	said.Close()
	if err != nil {
		t.Fatal(err)
	}
	killSoon(cmd, within)
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return false // nobody is left who could say it
	}
	if line != "ready\n" {
		t.Fatalf("the worker said %q", line)
	}
	if w.process, err = os.FindProcess(int(w.counts(t)[slotPID])); err != nil {
		t.Fatal(err)
	}
	w.runsOn(t)
	return true
}
