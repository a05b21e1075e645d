package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/jsondoc"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task/live"
	"stacksnap/task/stackshot/stackshottest"
)

// twoSides writes a profile before and after a change: as JSON, pprof and compressed.
func twoSides(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, calls := range map[string]map[string]int{"old": {"main": 90, "slow": 10}, "new": {"main": 60, "slow": 40}} {
		image := &profile.Image{Path: "/bin/" + name, Load: 0x1000, End: 0x2000, Main: true}
		p := &profile.Profile{Tool: "stacksnap 1.0", Snapshots: 100, Interval: 1e6, Images: []*profile.Image{image}, Main: image}
		thread := &profile.Thread{ID: 1, Samples: 100}
		for f, n := range calls {
			thread.Roots = append(thread.Roots, &profile.Node{Location: profile.Location{Image: image, Function: f}, PC: 0x1100, Count: n, Self: n})
		}
		p.Threads = []*profile.Thread{thread}
		for extension, write := range map[string]report.Writer{".json": jsondoc.Write, ".pb": pprof.Write} {
			var b bytes.Buffer
			if err := write(&b, report.Of(p), words.Options{}); err != nil {
				t.Fatal(err)
			}
			write2(t, filepath.Join(dir, name+extension), b.Bytes())
			var z, s bytes.Buffer
			g := gzip.NewWriter(&z)
			_, err := g.Write(b.Bytes())
			zst, zErr := zstd.NewWriter(&s)
			if err := errors.Join(err, g.Close(), zErr); err != nil {
				t.Fatal(err)
			}
			_, err = zst.Write(b.Bytes())
			if err := errors.Join(err, zst.Close()); err != nil {
				t.Fatal(err)
			}
			write2(t, filepath.Join(dir, name+extension+".gz"), z.Bytes())
			write2(t, filepath.Join(dir, name+extension+".zst"), s.Bytes())
		}
	}
	return dir
}

func write2(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ran runs a command line and returns what it printed and the exit code.
func ran(t *testing.T, args ...string) (out, err string, code int) {
	t.Helper()
	return ranBy(t, func(c Command) int { return c.Run(context.Background(), args) })
}

// ranBy runs a program, and returns what it printed and the exit code.
func ranBy(t *testing.T, run func(Command) int) (stdout, stderr string, code int) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.Create(filepath.Join(t.TempDir(), "stream"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	code = run(Command{Version: "1.0", Streams: out.Streams{In: os.Stdin, Out: files[0], Err: files[1], Getenv: func(string) string { return "" }}, Release: func() {}})
	return readFile(t, files[0].Name()), readFile(t, files[1].Name()), code
}

// TestDiffRun compares files of every kind with each other, told by what is in them.
func TestDiffRun(t *testing.T) {
	t.Chdir(twoSides(t))
	for _, before := range []string{"old.json", "old.pb", "old.json.gz", "old.pb.zst"} {
		for _, after := range []string{"new.json", "new.pb.gz", "new.json.zst"} {
			out, stderr, code := ran(t, "diff", before, after)
			if code != exitOK || stderr != "" || !strings.HasPrefix(out, "slow grew from 10.0 % to 40.0 % of all samples\n") || !strings.Contains(out, "All threads:") {
				t.Errorf("%s %s: %d %s%s", before, after, code, stderr, out)
			}
		}
	}
	for args, want := range map[string]string{
		"-f summary":                       "slow (new)",
		"-f json":                          `"schema": "stacksnap.diff"`,
		"-f folded":                        "all threads;slow 10 40\n",
		"-f folded --scale none":           "all threads;main 90 60\n",
		"--scale none":                     "slow grew from 10 to 40 samples",
		"--scale time":                     "10.0 % to 40.0 % of a thread",
		"--focus slow":                     "40 of 100 samples",
		"--by thread":                      "Threads without a name (1 before, 1 after):",
		"--invert":                         "innermost functions first",
		"--min 50%":                        "by 50 % or more",
		"--depth 1 -o it.txt -o it.folded": "",
	} {
		out, stderr, code := ran(t, append([]string{"diff", "old.json", "new.json"}, strings.Fields(args)...)...)
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s", args, code, stderr, out)
		}
	}
	if b, err := os.ReadFile("it.folded"); err != nil || !strings.Contains(string(b), "slow 10 40") {
		t.Errorf("%s, %v", b, err)
	}
}

// TestDiffRefusals are a line each, and say what to do.
func TestDiffRefusals(t *testing.T) {
	t.Chdir(twoSides(t))
	write2(t, "text", []byte("no profile"))
	write2(t, "short.gz", []byte("\x1f\x8b\x08"))
	for args, want := range map[string]string{
		"diff":                                  "diff compares two files",
		"diff old.json":                         "diff compares two files",
		"diff old.json new.json more":           "diff compares two files",
		"diff old.json missing":                 "missing",
		"diff old.json text":                    "text is neither a recording",
		"diff short.gz new.json":                "short.gz: uncompress",
		"diff old.json new.json -f pprof":       "a diff is written as tree",
		"diff old.json new.json --merge":        "leave out --merge",
		"diff old.json new.json --save x":       "leave out --save",
		"diff old.json new.json --header":       "leave it out",
		"diff old.json new.json --no-merge":     "leave it out",
		"diff old.json new.json -d 3s":          "cannot be sampled",
		"diff old.json new.json --measure cpu":  "give --measure samples",
		"diff old.pb new.json --scale time":     "old.pb cannot be compared so: it does not tell how long",
		"diff new.json old.json --measure wall": "cpu or samples",
		"old.json --scale time":                 "they go with diff",
		"old.json --running":                    "leave out --running and --blocked",
		"old.json --save x":                     "nothing to record",
		"old.pb":                                "neither a core file, a recording",
	} {
		out, stderr, code := ran(t, strings.Fields(args)...)
		if code == exitOK || out != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d %s%s, want %s", args, code, stderr, out, want)
		}
	}
}

// TestDiffIsAWord only where it comes first: a process or file of that name has other
// ways to be named.
func TestDiffIsAWord(t *testing.T) {
	for args, differs := range map[string]bool{
		"diff a b": true, "--scale time diff a b": true, "diff -f json a b": true, "-p diff": false, "./diff": false, "-- diff a b": false, "--wait diff": false,
	} {
		o, err := cli.Parse(strings.Fields(args), "", live.Runs)
		if err != nil || (len(o.Compared) > 0) != differs || differs != (o.Mode() == "diff") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestOpenDocument opens a document as the report that it was made from.
func TestOpenDocument(t *testing.T) {
	t.Chdir(twoSides(t))
	for _, file := range []string{"new.json", "new.json.gz", "new.json.zst"} {
		if out, stderr, code := ran(t, file); code != exitOK || !strings.Contains(out, "slow (new)") {
			t.Errorf("%s: %d %s%s", file, code, stderr, out)
		}
	}
	again, _, _ := ran(t, "new.json", "-f", "json")
	if b, err := os.ReadFile("new.json"); err != nil || string(b) != again {
		t.Errorf("%v, written again it is\n%s", err, again)
	}
}

// TestDiffOfStackshots compares a process of each, which has another pid after it was
// started again.
func TestDiffOfStackshots(t *testing.T) {
	t.Chdir(twoSides(t))
	before, after := system(4, 4), system(4, 4)
	after.Tasks[2].Snapshot.PID = 977
	for i := range after.Tasks[2].Threads[:3] {
		after.Tasks[2].Threads[i].User = before.Tasks[2].Threads[3].User
	}
	write2(t, "a", stackshottest.Bytes(before))
	write2(t, "b", stackshottest.Bytes(after))
	one := system(2, 2)
	one.Tasks = one.Tasks[1:]
	write2(t, "one", stackshottest.Bytes(one))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"a b -p process2", exitOK, "Before:          a: process2 [102], 4 threads, one snapshot: 4 samples\nAfter:           b: process2 [977], 4 threads"},
		{"a b -p 102 -p 977", exitOK, "a: process2 [102]"},
		{"a b -p process2 -f json", exitOK, `"pid": 977`},
		{"a a -p process1 -p process3", exitOK, "(image at 0x100000000 + 0x0)  (gone)"}, // another one than at that place after
		{"one one", exitOK, "no function changed"},
		{"a one -p process1", exitOK, "one: process1 [101]"},
		{"a b", exitUsage, "a has 4 processes, and diff compares one of each file: choose it with -p for both files, or -p for BEFORE and then -p for AFTER (kernel_task [0], process1 [101], process2 [102], process3 [103])"},
		{"a b -p process", exitUsage, "a has 3 processes"},
		{"a b -p 102", exitNoProcess, "b: no process with pid 102: it has"},
		{"a b -p process2 -p 102 -p 977", exitUsage, "diff compares one process of each file"},
		{"a new.json -p process2", exitUsage, "new.json has one process: leave out --pid"},
		{"a new.json", exitUsage, "a has 4 processes"},
	} {
		out, stderr, code := ran(t, append([]string{"diff"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(out+stderr, c.want) || code != exitOK && (out != "" || strings.Count(stderr, "\n") != 1) {
			t.Errorf("%s: %d %s%s", c.args, code, stderr, out)
		}
	}
}
