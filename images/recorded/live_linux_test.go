//go:build linux && (amd64 || arm64)

package recorded_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stacksnap/format"
	"stacksnap/format/profile"
	"stacksnap/images"
	"stacksnap/images/elf"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/ptrace"
	"stacksnap/task/recording"
	"stacksnap/unwind"
	"stacksnap/unwind/cfi"
)

func prune(f object.File, k object.Kind) (recorded.Pruner, error) { return cfi.NewPruner(f, k) }

// startTarget builds and starts testdata/threads.c. It returns the process and
// the path of its program.
func startTarget(t testing.TB, sleepers, busy, depth int) (pid int, path string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	path = filepath.Join(t.TempDir(), "target")
	if out, err := exec.Command(gcc, "-O1", "-g", "-pthread", "-o", path, "testdata/threads.c").CombinedOutput(); err != nil {
		t.Skipf("gcc: %v\n%s", err, out)
	}
	cmd := exec.Command(path, strconv.Itoa(sleepers), strconv.Itoa(busy), strconv.Itoa(depth))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd.Process.Pid, path
}

// capture records n snapshots of a process to w, and returns the profile of them.
func capture(t testing.TB, pid, n int, w *recording.Writer) *profile.Profile {
	t.Helper()
	p := attach(t, pid)
	saver := recorded.NewSaver(w, p.Memory(), prune)
	placed, errs := elf.Load(p)
	if len(errs) > 0 {
		t.Log(errs)
	}
	m := images.NewMap(saver.Place(placed, p.Regions()))
	defer m.Close()
	walk := newWalk(p, m, saver.Memory(), profile.NewBuilder(p.Info(), "test"))
	var s task.Snapshot
	for range n {
		if err := task.Take(p, &s); err != nil {
			t.Fatal(err)
		}
		walk.add(&s)
		if err := saver.Save(&recording.Sample{Snapshot: &s}, m, walk.pcs()); err != nil {
			t.Fatal(err)
		}
	}
	return walk.builder.Profile()
}

func attach(t testing.TB, pid int) *ptrace.Process {
	t.Helper()
	p, err := ptrace.Open(pid)
	var denied *task.PermissionError
	if errors.As(err, &denied) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// walk is what is done with each snapshot, of a live process or a recording.
type walk struct {
	m        *images.Map
	memory   task.Memory
	unwinder *unwind.Unwinder
	builder  *profile.Builder
	stacks   []profile.Stack
}

func newWalk(p task.Process, m *images.Map, memory task.Memory, b *profile.Builder) *walk {
	var code []task.Region
	for r, err := range p.Regions() {
		if err == nil && r.Prot&task.Execute != 0 {
			code = append(code, r)
		}
	}
	return &walk{m: m, memory: memory, builder: b, unwinder: unwind.New(unwind.Options{
		CodeMask: p.Info().CodeMask,
		Executable: func(a task.Addr) bool {
			for _, r := range code {
				if a >= r.Start && a < r.End {
					return true
				}
			}
			return false
		},
	})}
}

func (w *walk) add(s *task.Snapshot) {
	w.stacks = w.stacks[:0]
	for i := range s.Threads {
		frames, stop := w.unwinder.Walk(nil, &s.Threads[i], w.m, w.memory)
		w.stacks = append(w.stacks, profile.Stack{Frames: frames, Stop: stop})
	}
	w.builder.Add(s, w.stacks, w.m)
}

// pcs gives the pcs of all frames.
func (w *walk) pcs() iter.Seq[task.Addr] {
	return func(yield func(task.Addr) bool) {
		for i := range w.stacks {
			for j := range w.stacks[i].Frames {
				if !yield(w.stacks[i].Frames[j].PC) {
					return
				}
			}
		}
	}
}

// reopen makes the profile of a recording.
func reopen(t testing.TB, file io.ReadSeeker) *profile.Profile {
	t.Helper()
	r, err := recording.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	p := recording.NewProcess(r)
	b := profile.NewBuilder(r.Header().Target, r.Header().Tool)
	var w *walk
	for generation := 0; ; {
		s, err := p.Next()
		if err == io.EOF {
			return b.Profile()
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Generation() != generation {
			generation = r.Generation()
			w = newWalk(p, images.NewMap(recorded.Place(r)), p.Memory(), b)
		}
		w.add(s.Snapshot)
	}
}

// reports writes a profile in every form.
func reports(t testing.TB, p *profile.Profile) []string {
	t.Helper()
	var out []string
	for _, write := range []format.Writer{format.Tree(format.Options{}), format.JSON} {
		var b bytes.Buffer
		if err := write(&b, p); err != nil {
			t.Fatal(err)
		}
		out = append(out, b.String())
	}
	return out
}

// wantSame tells the first line in which two reports differ.
func wantSame(t *testing.T, live, reopened string) {
	t.Helper()
	a, b := strings.Split(live, "\n"), strings.Split(reopened, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Errorf("line %d is %q, reopened %q", i+1, a[i], append(b, "")[min(i, len(b))])
			return
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d lines, reopened %d", len(a), len(b))
	}
}

// TestReopened wants a recording to give the report of the live process, with
// the process and its program gone.
func TestReopened(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		sleepers, busy, depth, n int
	}{
		{"one snapshot", 50, 0, 45, 1},
		{"sampled", 8, 2, 20, 300},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pid, program := startTarget(t, tt.sleepers, tt.busy, tt.depth)
			p := attach(t, pid)
			var file bytes.Buffer
			w, err := recording.NewWriter(&file, recording.Header{Target: p.Info(), Tool: "test"})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			live := capture(t, pid, tt.n, w)
			if err := w.Close(recording.End{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes; %d frames, %d of %d walks to the bottom", file.Len(), live.Frames, live.Bottoms, live.Walks)
			want, got := reports(t, live), reports(t, reopen(t, bytes.NewReader(file.Bytes())))
			for i := range want {
				wantSame(t, want[i], got[i])
			}
		})
	}
}

// BenchmarkSave is the cost of a snapshot of 8 sleeping and 2 busy threads,
// without capture and walk.
func BenchmarkSave(b *testing.B) {
	pid, _ := startTarget(b, 8, 2, 20)
	p := attach(b, pid)
	w, err := recording.NewWriter(io.Discard, recording.Header{Target: p.Info()})
	if err != nil {
		b.Fatal(err)
	}
	saver := recorded.NewSaver(w, p.Memory(), prune)
	placed, _ := elf.Load(p)
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
