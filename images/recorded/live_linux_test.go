//go:build linux

package recorded_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/images/elf"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
	"stacksnap/task/ptrace"
	"stacksnap/task/recording"
)

// buildTarget builds testdata/threads.c.
func buildTarget(t testing.TB) (path string) {
	t.Helper()
	return build(t, "gcc", "-O1", "-g", "-pthread", "testdata/threads.c")
}

// build runs a compiler with its arguments and -o PATH.
func build(t testing.TB, compiler string, args ...string) (path string) {
	t.Helper()
	needs.Tool(t, compiler)
	path = filepath.Join(t.TempDir(), "target")
	args = slices.Insert(args, len(args)-1, "-o", path)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return path
}

// start runs a target that says when it is ready, and returns its pid.
func start(t testing.TB, path string, args ...string) (pid int) {
	t.Helper()
	cmd := exec.Command(path, args...)
	out := procfstest.StartPiped(t, cmd)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd.Process.Pid
}

func attach(t testing.TB, pid int) *ptrace.Process {
	t.Helper()
	p, err := ptrace.Open(pid)
	needs.Ptrace(t, err)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// TestReopened wants a recording to give the report of the live process, with
// the process and its program gone.
func TestReopened(t *testing.T) {
	for _, tt := range []struct {
		name      string
		args      []string // sleeping threads, busy ones, depth; none: the Go program
		snapshots int
	}{
		{"one snapshot", []string{"50", "0", "45"}, 1},
		{"sampled", []string{"8", "2", "20"}, 300},
		{"Go", nil, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var program string
			if tt.args != nil {
				program = buildTarget(t)
			} else {
				program = build(t, "go", "build", "./testdata/goroutines")
			}
			live, file := record(t, attach(t, start(t, program, tt.args...)), tt.snapshots)
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			wantReopened(t, live, file)
		})
	}
}

// BenchmarkSave is the cost of a snapshot of 8 sleeping and 2 busy threads,
// without capture and walk.
func BenchmarkSave(b *testing.B) {
	p := attach(b, start(b, buildTarget(b), "8", "2", "20"))
	w, err := recording.NewWriter(io.Discard, recording.Header{Target: p.Info()})
	if err != nil {
		b.Fatal(err)
	}
	saver := recorded.NewSaver(w, p.Memory(), prune)
	placed, _ := elf.LiveLoader(p.Info().PID).Load(p)
	m := images.NewMap(saver.Place(placed, p.Regions()))
	walk := newWalk(p, m, saver.Memory(), profile.NewBuilder(p.Info(), "test"))
	var s task.Snapshot
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		if err := task.Take(p, &s); err != nil {
			b.Fatal(err)
		}
		walk.add(&s)
		b.StartTimer()
		if err := saver.Save(&recording.Sample{Snapshot: &s}, m, walk.pcs()); err != nil {
			b.Fatal(err)
		}
	}
}
