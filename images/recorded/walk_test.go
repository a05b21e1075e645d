package recorded_test

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"testing"

	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
	"stacksnap/unwind/cfi"
)

func prune(f object.File, k object.Kind) (recorded.Pruner, error) { return cfi.NewPruner(f, k) }

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
	for _, write := range []report.Writer{text.Tree, jsondoc.Write} {
		var b bytes.Buffer
		if err := write(&b, report.Of(p), words.Options{}); err != nil {
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

// record takes n snapshots of a process, and returns their profile and recording.
func record(t testing.TB, p task.Process, n int) (*profile.Profile, []byte) {
	t.Helper()
	var file bytes.Buffer
	w, err := recording.NewWriter(&file, recording.Header{Target: p.Info(), Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	saver := recorded.NewSaver(w, p.Memory(), prune)
	live, _ := images.Load(p, nil, nil)
	var placed []object.Placed
	for _, im := range live.Images {
		placed = append(placed, im.Placed)
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
	made := walk.builder.Profile()
	saver.Flush()
	if err := w.Close(recording.End{}); err != nil {
		t.Fatal(err)
	}
	return made, file.Bytes()
}

// wantReopened wants a recording to give the reports of a profile.
func wantReopened(t *testing.T, live *profile.Profile, file []byte) {
	t.Helper()
	t.Logf("%d bytes; %d frames, %d of %d walks to the bottom", len(file), live.Frames, live.Bottoms, live.Walks)
	want, got := reports(t, live), reports(t, reopen(t, bytes.NewReader(file)))
	for i := range want {
		wantSame(t, want[i], got[i])
	}
}
