//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/klauspost/compress/zstd"
)

// opened is what a file holds, uncompressed by its name.
func opened(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(f)
	case ".zst":
		r, err = zstd.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// samplesIn counts the samples of a report, as far as its form has them.
func samplesIn(t *testing.T, path string) (sum int) {
	t.Helper()
	b := opened(t, path)
	switch name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst"); {
	case strings.HasSuffix(name, ".pb"):
		p, err := profile.Parse(bytes.NewReader(b))
		if err != nil || p.CheckValid() != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, s := range p.Sample {
			sum += int(s.Value[0])
		}
	case strings.HasSuffix(name, ".folded"):
		for line := range strings.Lines(string(b)) {
			n, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	case strings.HasSuffix(name, ".json"):
		var d struct {
			Threads  []struct{ Samples int }
			Profiles []struct {
				Type     string
				Weights  []int
				EndValue int
			}
		}
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, th := range d.Threads {
			sum += th.Samples
		}
		for _, p := range d.Profiles {
			if p.Type == "evented" {
				sum += p.EndValue
			}
			for _, w := range p.Weights {
				sum += w
			}
		}
	}
	return sum
}

// TestOutputs: one capture feeds all files, each in the form that its name tells.
func TestOutputs(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "8", "spin")
	dir := t.TempDir()
	var args []string
	forms := []string{"it.pb.gz", "it.pb", "it.pb.zst", "it.folded", "it.folded.zst", "it.json.gz"}
	for _, name := range append(forms, "report.txt", "it.speedscope.json", "it.profile.json", "it.trace.json", "it.html", "other.txt.gz") {
		args = append(args, "-o", filepath.Join(dir, name))
	}
	r := snap(t, append([]string{"-p", pid(target), "--main", "-n", "5", "-o", "-"}, args...)...)
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	for _, name := range forms {
		if n := samplesIn(t, filepath.Join(dir, name)); n != 5 {
			t.Errorf("%s: %d samples", name, n)
		}
	}
	for _, name := range []string{"report.txt", "other.txt.gz"} {
		if got := string(opened(t, filepath.Join(dir, name))); got != r.out || !strings.Contains(got, "Thread ") {
			t.Errorf("%s:\n%s\nstandard output:\n%s", name, got, r.out)
		}
	}
	if time := samplesIn(t, filepath.Join(dir, "it.speedscope.json")); time <= 0 {
		t.Error("no time in speedscope's")
	}
	if got := opened(t, filepath.Join(dir, "it.profile.json")); !json.Valid(got) || !bytes.Contains(got, []byte(`"weightType":"samples","length":5`)) {
		t.Errorf("the Firefox Profiler's is\n%s", got)
	}
	if got := opened(t, filepath.Join(dir, "it.trace.json")); !json.Valid(got) || !bytes.Contains(got, []byte("ProfileChunk")) {
		t.Errorf("the trace is\n%s", got)
	}
	if page := string(opened(t, filepath.Join(dir, "it.html"))); !strings.HasPrefix(page, "<!DOCTYPE html>") || !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("the page is\n%s", page)
	}
	once := filepath.Join(dir, "once.speedscope.json")
	if snap(t, "-p", pid(target), "--main", "-o", once); samplesIn(t, once) != 1 {
		t.Errorf("%s", opened(t, once))
	}
}

// TestOutputsOfWhichOneFails: the others are whole, and one line tells.
func TestOutputsOfWhichOneFails(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "8", "spin")
	dir := t.TempDir()
	nowhere, there := filepath.Join(dir, "nowhere", "it.json"), filepath.Join(dir, "it.folded")
	r := snap(t, "-p", pid(target), "--main", "-o", nowhere, "-o", there, "-o", "-")
	refused(t, result{code: r.code, err: r.err}, 1, nowhere, "no such file or directory")
	if n := samplesIn(t, there); n != 1 || !strings.Contains(r.out, "Thread ") {
		t.Errorf("%d samples in the file, and on standard output:\n%s", n, r.out)
	}
	recording := filepath.Join(dir, "it.snap")
	refused(t, snap(t, "-p", pid(target), "--save", recording, "-o", nowhere, "-o", nowhere+".gz"), 1, nowhere, "no such file or directory")
	if _, err := os.Stat(recording); err == nil {
		t.Error("captured, though the report could go nowhere")
	}

	small := smallDisk(t)
	fill(t, small)
	full := filepath.Join(small, "it.pb.gz")
	r = snap(t, "-p", pid(target), "--main", "-n", "3", "-o", full, "-o", there)
	refused(t, r, 1, full, "no space left on device")
	if left, _ := filepath.Glob(filepath.Join(small, "*it*")); samplesIn(t, there) != 3 || len(left) > 0 {
		t.Errorf("left on the full disk: %v", left)
	}
}

// TestOutputsOfSeveral processes are one file of each form.
func TestOutputsOfSeveral(t *testing.T) {
	program := compile(t, "deep", "-O2")
	one, two := start(t, program, "8", "spin"), start(t, program, "8", "spin")
	dir := t.TempDir()
	pb, speedscope, folded := filepath.Join(dir, "it.pb.gz"), filepath.Join(dir, "it.speedscope.json"), filepath.Join(dir, "it.folded")
	for calls, args := range map[string][]string{
		"at once": {"-p", pid(one), "-p", pid(two)}, "a launched program and its children": {"--children", "--", "/bin/sh", "-c", "sleep 2 & sleep 2 & wait"},
	} {
		r := snap(t, append([]string{"-o", pb, "-o", speedscope, "-o", folded}, args...)...)
		if r.code != 0 {
			t.Fatalf("%s: exit code %d: %s", calls, r.code, r.err)
		}
		p, err := profile.Parse(bytes.NewReader(opened(t, pb)))
		if err != nil || p.CheckValid() != nil {
			t.Fatalf("%s: %v", calls, err)
		}
		pids := map[int64]bool{}
		for _, s := range p.Sample {
			for _, pid := range s.NumLabel["pid"] {
				pids[pid] = true
			}
		}
		if n := samplesIn(t, speedscope); len(pids) < 2 || n < 2 {
			t.Errorf("%s: of processes %v, and %d in speedscope's", calls, pids, n)
		}
		// What a command has started is a row of reports in other forms, as always.
		if got := opened(t, folded); bytes.HasPrefix(got, []byte("Thread ")) != slices.Contains(args, "--") {
			t.Errorf("%s: %s", calls, got)
		}
	}
}

// TestPprofAtATerminal is refused before the command is started, whose report would be
// seen on standard error.
func TestPprofAtATerminal(t *testing.T) {
	told, out, code := atTerminal(t, "", 80, "-f", "pprof", "--", "/bin/echo", "started")
	if code != 2 || !strings.Contains(told, "pprof is not for a terminal: give -o FILE, such as it.pb.gz") || out != "" {
		t.Errorf("exit code %d, %q, %q", code, told, out)
	}
}

// TestPprofToAPipe is compressed, as its files are.
func TestPprofToAPipe(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "8", "spin")
	r := snap(t, "-p", pid(target), "--main", "-f", "pprof")
	p, err := profile.Parse(strings.NewReader(r.out))
	if err != nil || p.CheckValid() != nil || len(p.Sample) != 1 || !strings.HasPrefix(r.out, "\x1f\x8b") {
		t.Errorf("exit code %d, %v: %s", r.code, err, r.err)
	}
}
