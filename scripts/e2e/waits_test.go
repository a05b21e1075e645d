//go:build linux

package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startWaits starts the C program whose threads wait, each for another kind of
// thing, and three of them for each other.
func startWaits(t *testing.T) *exec.Cmd {
	t.Helper()
	program := compileFile(t, filepath.Join("..", "..", "format", "profile", "waits", "testdata", "waits.c"), "-O1", "-pthread")
	cmd := start(t, program, "3")
	eventually(t, "all threads wait", func() bool { return waits(snap(t, "-p", pid(cmd)).out) == waitingThreads })
	return cmd
}

const waitingThreads = 14

// waits counts what threads are told to wait for.
func waits(report string) int { return strings.Count(report, "\n  waits ") }

// lacks returns a line that a report does not have, empty if it has all.
func lacks(report string, lines ...string) string {
	for _, line := range lines {
		if !regexp.MustCompile("(?m)^" + line + "$").MatchString(report) {
			return line
		}
	}
	return ""
}

// inLooks ends a wait that is found as long as it is looked for. A thread that
// was just about to wait, or is slow to come back from a stop, may be missed.
const inLooks = `: in (all \d+ checks|\d+ of \d+ checks|the only check)`

// tells runs stacksnap until a report has all lines, and returns that. On a busy
// machine a look at what the threads wait for has to wait for its time, and threads
// come back into their calls too late to be told of.
func tells(t *testing.T, lines []string, args ...string) (got result) {
	t.Helper()
	var missing string
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if got = snap(t, args...); got.code != 0 {
			t.Fatalf("%v: exit %d: %s", args, got.code, got.err)
		}
		if missing = lacks(got.out, lines...); missing == "" {
			return got
		}
	}
	t.Fatalf("%v: there is no line %s in\n%s", args, missing, got.out)
	return got
}

// sampleWithLooks samples until there is a report with all lines for which each
// thread was looked at more than once.
func sampleWithLooks(t *testing.T, cmd *exec.Cmd, saved string, lines ...string) (got result) {
	t.Helper()
	for _, length := range []string{"1200ms", "5s", "20s", "20s", "20s"} {
		got = snap(t, "-p", pid(cmd), "-d", length, "--save", saved, "--min", "0")
		if got.code != 0 {
			t.Fatalf("exit %d: %s", got.code, got.err)
		}
		once := strings.Contains(got.out, "the only check") || strings.Contains(got.out, "the last check alone")
		if !once && waits(got.out) == waitingThreads && lacks(got.out, lines...) == "" {
			return got
		}
	}
	t.Fatalf("there is no line %q, or a thread is not told to wait more than once, in\n%s", lacks(got.out, lines...), got.out)
	return got
}

// members are the rows of the deadlock of three threads.
const members = `(\n  thread \d+ "member"  waits for mutex ring(\+\d+)? +held by thread \d+.*(\n      in .*)?){3}`

// TestSampledWaits: a sampled report tells what threads wait for and how
// deadlocks stand, and does so again when it is reopened.
func TestSampledWaits(t *testing.T) {
	cmd := startWaits(t)
	saved := filepath.Join(t.TempDir(), "saved")
	const stood = `; seen from \+.* to the end, in all \d+ checks`
	got := sampleWithLooks(t, cmd, saved,
		`Deadlock: +a thread waits for itself`+stood+`\n  thread \d+ "waits" \(main\)  waits for mutex 0x\w+  held by itself.*`,
		`Deadlock: +each of 3 threads waits for the next, and the last for the first`+stood+members,
		`  waits for mutex ring(\+\d+)?, held by thread \d+ "member"`+inLooks,
		`  waits for rwlock written, held by thread `+pid(cmd)+` "waits"`+inLooks,
		`  waits for rwlock read_, held by 1 reader`+inLooks,
		`  waits in futex: semaphore sem`+inLooks,
		`  waits in futex: condition variable cond`+inLooks,
		`  waits in read: fd \d+ pipe:\[\d+\](, `+byItself+`)?`+inLooks,
		`  waits for file lock fd \d+ .*, held by this process`+inLooks,
	)
	for _, form := range []string{"tree", "heavy", "json", "jsonl", "folded"} {
		if form == "heavy" && !strings.Contains(snap(t, "--help").out, "heavy") {
			continue
		}
		live := got.out
		open := []string{"-f", form, saved}
		if form == "tree" {
			open = append(open, "--min", "0") // as the live one: all trees
		}
		first, again := snap(t, open...), snap(t, open...)
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
		tells(t, []string{`  waits for rwlock written, held by thread ` + pid(cmd) + ` "waits"` + inLooks},
			append([]string{"-p", pid(cmd), "-n", "200"}, how...)...)
	}
}

// TestDeadlockOfOneThread: a circle is told whole although only one thread of it
// is wanted, and the others are in the report for that alone.
func TestDeadlockOfOneThread(t *testing.T) {
	cmd := startWaits(t)
	const circle = `Deadlock: +each of 3 threads waits for the next, and the last for the first(; (stood|seen) .*)?` + members
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	report := tells(t, []string{circle}, "-p", pid(cmd), "-d", "1s", "--save", whole).out
	member := regexp.MustCompile(`(?m)^Thread (\d+) .*"member"`).FindStringSubmatch(report)
	if member == nil {
		t.Fatal(report)
	}
	check := func(got result) {
		t.Helper()
		if n := strings.Count(got.out, "\nThread "); n != 1 || strings.Count(got.out, "Deadlock:") != 1 {
			t.Errorf("%d threads\n%s", n, got.out)
		}
	}
	for i, how := range [][]string{nil, {"-d", "1200ms"}, {"-d", "1200ms", "--no-stop"}, {"-d", "1200ms", "--suspend", "task"}} {
		saved := filepath.Join(dir, strconv.Itoa(i))
		got := tells(t, []string{circle}, append([]string{"-p", pid(cmd), "--thread", member[1], "--save", saved}, how...)...)
		check(got)
		if again := snap(t, saved); again.out != got.out {
			t.Errorf("%v: reopened, the report is another one:\n%s\nlive\n%s", how, again.out, got.out)
		}
	}
	again := snap(t, whole, "--thread", member[1])
	if check(again); lacks(again.out, circle) != "" {
		t.Error(again.out)
	}
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
	tells(t, []string{`  waits (for .* to write, in read: fd 0 pipe:\[\d+\]|in read: fd 0 pipe:\[\d+\], with .* at the other end)` + inLooks}, "-p", pid(cmd), "-n", "20")
}

// TestBusyProgramWaitsForNothing: one that only works is not said to wait.
func TestBusyProgramWaitsForNothing(t *testing.T) {
	cmd := start(t, compile(t, "shares", "-O1"))
	got := snap(t, "-p", pid(cmd), "-d", "1200ms")
	if got.code != 0 || strings.Contains(got.out, "  waits ") || strings.Contains(got.out, "Deadlock") {
		t.Errorf("exit %d: %s\n%s", got.code, got.err, got.out)
	}
}
