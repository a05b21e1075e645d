//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var threadLine = regexp.MustCompile(`(?m)^Thread (\d+)`)

// threadsOf returns the ids of the threads that a report shows.
func threadsOf(report string) (ids []string) {
	for _, m := range threadLine.FindAllStringSubmatch(report, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// TestThreadsWanted asks for one thread in a snapshot, in samples, and of the
// recordings of all.
func TestThreadsWanted(t *testing.T) {
	dir := t.TempDir()
	target := start(t, compile(t, "work", "-O1"), filepath.Join(dir, "slots"))
	entries, err := os.ReadDir("/proc/" + pid(target) + "/task")
	if err != nil || len(entries) < 2 {
		t.Fatalf("%d threads, %v", len(entries), err)
	}
	last := entries[len(entries)-1].Name()
	once, often := filepath.Join(dir, "once"), filepath.Join(dir, "often")
	snap(t, "-p", pid(target), "--save", once)
	snap(t, "-p", pid(target), "--save", often, "-n", "3")
	for _, from := range [][]string{
		{"-p", pid(target)}, {"-p", pid(target), "-n", "3"}, {once}, {often},
	} {
		for _, want := range []struct{ flag, id string }{{"--main", pid(target)}, {"--thread=" + last, last}} {
			r := snap(t, append(from, want.flag)...)
			if got := threadsOf(r.out); r.code != 0 || len(got) != 1 || got[0] != want.id {
				t.Errorf("%v %s: exit code %d, threads %v, want %s; %s", from, want.flag, r.code, got, want.id, r.err)
			}
		}
		r := snap(t, append(from, "--thread", "nobody")...)
		if r.code != 1 || !strings.Contains(r.err, "nobody") {
			t.Errorf("%v: for a thread that there is not: exit code %d, %q", from, r.code, r.err)
		}
	}
}

// TestOptionsThatCannotBe requires a refusal of what would not be done otherwise.
func TestOptionsThatCannotBe(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "recording")
	program := compile(t, "deep", "-O2")
	target := start(t, program, "2", "read")
	for target.Process.Pid%60 == 0 { // as a second argument that is for whole minutes
		target = start(t, program, "2", "read")
	}
	snap(t, "-p", pid(target), "--save", recording)
	for _, args := range [][]string{
		{"-r", "NaN"}, {"-r", "inf"}, {"-r", "1e-300"},
		{"--jitter"}, {"--max-hang", "3s"}, {"--hang", "1s", "--jitter"},
		{"-o", ""}, {"--save", ""}, {"-o", "same", "--save", "same"},
		{"--hang", "1s", "--running"}, {"--hang", "1s", "--blocked"}, {"--hang", "1s", "--main", "--thread", "1"},
		{"--hang", "1s", "--no-stop"}, {"--hang", "1s", "--suspend", "thread"}, {"--every", "1s", "-r", "10"},
		{"--every", "1s", "-i", "1ms"}, {"--every", "1s", "--main"}, {"--every", "1s", "--thread", "1"},
		{"--wait", "it"}, {"--", "true"}, {"1", "1", "-d", "1s"}, {"1", "1", "-i", "1ms"},
		{"NaN"}, {"1", "0"},
		{"-d", "0"}, {"-i", "0s"}, {"-r", "0"}, {"-n", "0"}, {"--hang", "0"}, {"--every", "0"},
		{"--hang", "1s", "--max-hang", "0"}, {"--merge", "-f", "folded"}, {pid(target)},
	} {
		refused(t, snap(t, append([]string{"-p", pid(target)}, args...)...), 2)
	}
	for _, args := range [][]string{
		{"--wait", "it", "--", "true"}, {"--hang", "1s", "--", "true"}, {"--every", "1s", "--", "true"},
		{recording, "-d", "1s"}, {recording, "-n", "3"}, {recording, "10", "1"},
		{recording, "--hang", "1s"}, {recording, "--no-stop"}, {recording, "--save", "other"},
	} {
		refused(t, snap(t, args...), 2)
	}
}

// TestWatchEnds by the flags that end a sampling, too, and says what came of it.
func TestWatchEnds(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	blocksInRead(t, pid(target))
	for _, test := range []struct {
		flags   []string
		reports int
		want    string
	}{
		{[]string{"--hang", "1h", "-d", "100ms", "--main"}, 0, ", in read; whether it hung before, we can't know\n"},
		{[]string{"--every", "20ms", "-n", "1"}, 1, ": 1 periodic report\n"},
		{[]string{"--hang", "1h", "--every", "20ms", "-n", "3"}, 3, ", in read; whether it hung before, we can't know, 3 periodic reports\n"},
	} {
		r := snap(t, append([]string{"-p", pid(target)}, test.flags...)...)
		if r.code != 0 || strings.Count(r.out, "Binary Images:") != test.reports ||
			!strings.HasPrefix(r.err, "stacksnap: watched "+pid(target)+" deep for ") || !strings.HasSuffix(r.err, test.want) {
			t.Errorf("%v: exit code %d, %q\n%s", test.flags, r.code, r.err, r.out)
		}
	}
}

// TestWatchMerges requires threads that are alike to be printed once.
func TestWatchMerges(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "8", "read")
	blocksInRead(t, pid(target))
	args := []string{"-p", pid(target), "--every", "20ms", "-n", "1"}
	whole, merged := snap(t, append(args, "--no-merge")...), snap(t, append(args, "--merge")...)
	if a, b := len(threadsOf(whole.out)), len(threadsOf(merged.out)); a < 2 || b >= a {
		t.Errorf("%d threads, merged %d\n%s", a, b, merged.out)
	}
}

// TestStandardOutput is what "-" means, also beside that of a command.
func TestStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	r := lookedAt(t, func(life string) []string { return []string{"-o", "-", "--", "sleep", life} })
	if left, _ := os.ReadDir("."); r.code != 0 || !strings.Contains(r.out, "Process:") || len(left) > 0 {
		t.Errorf("exit code %d, %q, files %v\n%s", r.code, r.err, left, r.out)
	}
}

// TestCutRecordings are named, and what is wrong with them told once.
func TestCutRecordings(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "recording")
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	snap(t, "-p", pid(target), "--save", recording)
	whole, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{15, len(whole) / 2} {
		if err := os.WriteFile(recording, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		r := snap(t, recording)
		refused(t, r, 1, recording+": the recording was cut off")
		if strings.Count(r.err, "snapshot") != 1 {
			t.Errorf("cut after %d bytes: %q", n, r.err)
		}
	}
}

// TestMistakesAreExplained requires what would have been right.
func TestMistakesAreExplained(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	refused(t, snap(t, "-p", pid(target), "-i", "5"), 2, "give 5ms or 5s")
	refused(t, snap(t, "-p", pid(target), "--binaries", stacksnap), 1, stacksnap+" is not a folder")
}

// TestOutputIsTriedFirst requires that a place which cannot be written to is told
// before a long sampling rather than after it.
func TestOutputIsTriedFirst(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	dir := t.TempDir()
	for _, out := range []string{dir, filepath.Join(dir, "no", "report")} {
		refused(t, snap(t, "-p", pid(target), "-d", "10h", "-o", out), 1, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestLaunchFollowsExec: a script that starts a program in its place is not all
// that is sampled, and the report does not wait for the program's end.
func TestLaunchFollowsExec(t *testing.T) {
	program := compile(t, "deep", "-O2")
	var report string
	for _, length := range []string{"300ms", "3s", "30s"} { // a busy machine may not come to the program before
		if report = launchThroughExec(t, program, length); strings.Contains(report, "Process:         deep") {
			return
		}
	}
	t.Errorf("report:\n%s", report)
}

// launchThroughExec has a shell launched, and sampled for a time, that becomes a
// program. It returns the report, which is there before the program ends.
func launchThroughExec(t *testing.T, program, length string) string {
	t.Helper()
	dir := t.TempDir()
	report, again := filepath.Join(dir, "report"), filepath.Join(dir, "again")
	const script = `exec "$0" 3 read <"$1"`
	if err := syscall.Mkfifo(again, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(stacksnap, "-d", length, "-o", report, "--", "sh", "-c", script, program, again)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	open, err := os.OpenFile(again, os.O_WRONLY, 0) // the program reads until this is closed
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for len(b) == 0 && cmd.Process.Signal(syscall.Signal(0)) == nil {
		b, _ = os.ReadFile(report)
	}
	open.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return string(b)
}

// TestLaunchOfWhatEndsAtOnce requires a word, whatever was seen of the program.
func TestLaunchOfWhatEndsAtOnce(t *testing.T) {
	for range 30 {
		if r := snap(t, "--", "true"); r.code != 0 || r.err == "" {
			t.Fatalf("exit code %d, %q", r.code, r.err)
		}
	}
}
