//go:build linux && (amd64 || arm64)

package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// startWaits starts the C program whose threads wait, each for another kind of
// thing, and three of them for each other.
func startWaits(t *testing.T) *exec.Cmd {
	t.Helper()
	need(t, "gcc")
	program := filepath.Join(t.TempDir(), "waits")
	source := filepath.Join("..", "..", "format", "profile", "waits", "testdata", "waits.c")
	if b, err := exec.Command("gcc", "-O1", "-pthread", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	cmd := start(t, program, "3")
	const threads = 14
	for range 100 { // until all of them wait
		if strings.Count(snap(t, "-p", pid(cmd)).out, "\n  waits ") == threads {
			return cmd
		}
	}
	t.Fatal("the threads do not come to wait")
	return nil
}

// wants looks for lines of a report.
func wants(t *testing.T, report string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !regexp.MustCompile("(?m)^" + line + "$").MatchString(report) {
			t.Errorf("there is no line %s", line)
		}
	}
	if t.Failed() {
		t.Log(report)
	}
}

// inLooks ends a wait that is found as long as it is looked for. A thread that
// was just about to wait, or is slow to come back from a stop, may be missed.
const inLooks = `: in (all \d+|\d+ of \d+) looks`

// sampleWithLooks samples for as long as it takes to look at what the threads wait
// for more than once: on a busy machine a look has to wait for its time.
func sampleWithLooks(t *testing.T, cmd *exec.Cmd, saved string) result {
	t.Helper()
	for _, length := range []string{"1200ms", "5s", "20s"} {
		got := snap(t, "-p", pid(cmd), "-d", length, "--save", saved)
		if got.code != 0 {
			t.Fatalf("exit %d: %s", got.code, got.err)
		}
		if !strings.Contains(got.out, "the only look") && !strings.Contains(got.out, "the last look alone") {
			return got
		}
	}
	t.Fatal("the threads are looked at once only")
	return result{}
}

// TestSampledWaits: a sampled report tells what threads wait for and how
// deadlocks stand, and does so again when it is reopened.
func TestSampledWaits(t *testing.T) {
	cmd := startWaits(t)
	saved := filepath.Join(t.TempDir(), "saved")
	got := sampleWithLooks(t, cmd, saved)
	const stood = `; stood from \+.* on to the end, in all \d+ looks`
	wants(t, got.out,
		`Deadlock: +thread \d+ "waits" waits for mutex 0x\w+, held by itself`+stood,
		`Deadlock: +(thread \d+ "member" |which )waits for mutex 0x\w+, held by thread \d+ "member", which waits for mutex 0x\w+, held by thread \d+ "member", which waits for mutex 0x\w+, held by thread \d+ "member"`+stood,
		`  waits for mutex 0x\w+, held by thread \d+ "member"`+inLooks,
		`  waits for rwlock 0x\w+, held by thread `+pid(cmd)+` "waits"`+inLooks,
		`  waits for rwlock 0x\w+, held by 1 reader`+inLooks,
		`  waits in futex: semaphore 0x\w+`+inLooks,
		`  waits in futex: condition variable \(futex 0x\w+\)`+inLooks,
		`  waits in read: fd \d+ pipe:\[\d+\]`+inLooks,
		`  waits for file lock fd \d+ .*, held by this process`+inLooks,
	)
	for _, form := range []string{"tree", "heavy", "json", "jsonl", "folded"} {
		if form == "heavy" && !strings.Contains(snap(t, "--help").out, "heavy") {
			continue
		}
		live := got.out
		first, again := snap(t, "-f", form, saved), snap(t, "-f", form, saved)
		if form != "tree" {
			live = first.out
		}
		if again.code != 0 || again.out != live {
			t.Errorf("%s: reopened, the report is another one\n%s", form, again.err)
		}
	}
	var d struct {
		Threads []struct {
			Looks int
			Waits []struct{ Looks int }
		}
		Deadlocks []any
		Stood     []struct{ Ended bool } `json:"deadlocks_stood"`
	}
	if err := json.Unmarshal([]byte(snap(t, "-f", "json", saved).out), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Deadlocks) != 2 || len(d.Stood) != 2 || d.Stood[0].Ended || len(d.Threads) == 0 {
		t.Errorf("%+v", d)
	}
	for _, th := range d.Threads {
		if th.Looks < 2 || len(th.Waits) != 1 {
			t.Errorf("%+v", d.Threads)
			break
		}
	}
}

// TestSampledWaitsOfSomeThreads: the holder of a lock is named although it is not
// among the threads that are wanted; and it is told where nothing is stopped.
func TestSampledWaitsOfSomeThreads(t *testing.T) {
	cmd := startWaits(t)
	for _, how := range [][]string{{"--thread", "reader"}, {"--thread", "reader", "--no-stop"}, {"--thread", "reader", "--suspend", "task"}} {
		got := snap(t, append([]string{"-p", pid(cmd), "-n", "200"}, how...)...)
		if got.code != 0 {
			t.Fatalf("exit %d: %s", got.code, got.err)
		}
		wants(t, got.out, `  waits for rwlock 0x\w+, held by thread `+pid(cmd)+` "waits"`+inLooks)
	}
}

// TestDeadlockOfOneThread: a circle is told whole although only one thread of it
// is wanted, and the others are in the report for that alone.
func TestDeadlockOfOneThread(t *testing.T) {
	cmd := startWaits(t)
	const circle = `Deadlock: +thread \d+ "member" waits for mutex 0x\w+, held by thread \d+ "member", which waits for mutex 0x\w+, held by thread \d+ "member", which waits for mutex 0x\w+, held by thread \d+ "member"(; stood .*)?`
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	report := snap(t, "-p", pid(cmd), "-d", "1s", "--save", whole).out
	member := regexp.MustCompile(`(?m)^Thread (\d+) .*"member"`).FindStringSubmatch(report)
	if member == nil {
		t.Fatal(report)
	}
	check := func(got result) {
		t.Helper()
		wants(t, got.out, circle)
		if n := strings.Count(got.out, "\nThread "); n != 1 || strings.Count(got.out, "Deadlock:") != 1 {
			t.Errorf("%d threads\n%s", n, got.out)
		}
	}
	for i, how := range [][]string{nil, {"-d", "1200ms"}, {"-d", "1200ms", "--no-stop"}, {"-d", "1200ms", "--suspend", "task"}} {
		saved := filepath.Join(dir, strconv.Itoa(i))
		got := snap(t, append([]string{"-p", pid(cmd), "--thread", member[1], "--save", saved}, how...)...)
		check(got)
		if again := snap(t, saved); again.out != got.out {
			t.Errorf("%v: reopened, the report is another one:\n%s\nlive\n%s", how, again.out, got.out)
		}
	}
	check(snap(t, whole, "--thread", member[1]))
}

// TestSampledRead needs no compiler.
func TestSampledRead(t *testing.T) {
	need(t, "cat")
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	blocksInRead(t, pid(cmd))
	wants(t, snap(t, "-p", pid(cmd), "-n", "20").out, `  waits in read: fd 0 pipe:\[\d+\]`+inLooks)
}

// TestBusyProgramWaitsForNothing: one that only works is not said to wait.
func TestBusyProgramWaitsForNothing(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"))
	got := snap(t, "-p", pid(cmd), "-d", "1200ms")
	if got.code != 0 || strings.Contains(got.out, "  waits ") || strings.Contains(got.out, "Deadlock") {
		t.Errorf("exit %d: %s\n%s", got.code, got.err, got.out)
	}
}
