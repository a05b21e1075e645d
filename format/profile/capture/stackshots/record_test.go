package stackshots

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/stackshottest"
)

// set is where stackshots were made before: one after the other is taken, and then there
// are none any more.
type set struct {
	shots []*stackshot.Shot
	paths []string // that were asked for
}

var errEmpty = errors.New("no more stackshots")

func (s *set) Take(uint64) ([]byte, error) {
	if len(s.shots) == 0 {
		return nil, errEmpty
	}
	first := s.shots[0]
	s.shots = s.shots[1:]
	return stackshottest.Bytes(first), nil
}

func (s *set) Path(pid int, a task.Addr) string {
	if a == 0x10a000000 && pid == 101 {
		s.paths = append(s.paths, a.String())
		return mappedFile
	}
	return ""
}

func (s *set) Close() error { return nil }

const mappedFile = "../../../../images/macho/testdata/mapped"

// client is the stackshot of a process whose main thread is in the file above, or in
// another image at the same place.
func client(t *testing.T, uuid string) *stackshot.Shot {
	t.Helper()
	id, err := hex.DecodeString(uuid)
	if err != nil {
		t.Fatal(err)
	}
	s := shotOf()
	s.Tasks = s.Tasks[1:2]
	s.Tasks[0].Images = []stackshot.LoadInfo{{Load: 0x10a000000, UUID: [16]byte(id)}}
	s.Tasks[0].Threads[1].User = []stackshot.Frame{{LR: 0x10a0004c4}, {LR: 0x10a000540}}
	s.Durations = &stackshot.Durations{Inner: 5000, Outer: 7000, Prior: 1000}
	return s
}

const mappedID, otherID = "34f3dcd36fd039de9ff55cb98b5451f8", "00112233445566778899aabbccddeeff"

// recordOf films the process, and returns its profile.
func recordOf(t *testing.T, from *set, o capture.Options) (*profile.Profile, error) {
	t.Helper()
	list, err := Record(t.Context(), Target{PID: 101, Source: from, Note: "why"}, o)
	if len(list) != 1 {
		t.Fatalf("%d profiles, %v", len(list), err)
	}
	return list[0], err
}

// functions are those of the main thread's frames.
func functions(p *profile.Profile) (names []string) {
	for _, n := range p.MainThread().Nodes() {
		names = append(names, map[bool]string{true: "k:"}[n.Kernel]+n.Function)
	}
	return names
}

// TestRecordNames names the code by the file that is mapped, where that is still the one.
func TestRecordNames(t *testing.T) {
	index, err := binaries.NewIndex(binaries.Places{MachO: []binaries.Finder{here{}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := recordOf(t, &set{shots: []*stackshot.Shot{client(t, mappedID)}}, capture.Options{Tool: "it", Count: 1, Kernel: true, Binaries: index})
	if got := functions(p); err != nil || len(got) != 3 || got[0] != "main" || got[1] == "" || got[2] != "k:" {
		t.Errorf("%q, %v", got, err)
	}
	p, _ = recordOf(t, &set{shots: []*stackshot.Shot{client(t, otherID)}}, capture.Options{Count: 1, Binaries: index})
	if got := functions(p); len(got) != 2 || got[0] != "" || p.Images[0].Path != mappedFile {
		t.Errorf("named by a file that is another: %q in %s", got, p.Images[0].Path)
	}
}

// here is [binaries.Mapped] of a path that is not absolute.
type here struct{ binaries.Mapped }

func (here) Find(_ []byte, image string) (string, bool) { return image, image != "" }

// TestRecord has samples of one process: what they cost is in it, and a place is asked for
// once while the same is there.
func TestRecord(t *testing.T) {
	from := &set{shots: []*stackshot.Shot{client(t, mappedID), client(t, mappedID), client(t, otherID)}}
	from.shots[1].Durations.Outer = 9000
	var told []int
	ended := false
	p, err := recordOf(t, from, capture.Options{
		Tool: "it", Count: 3, Interval: time.Microsecond, Timelines: true,
		Progress: func(_ time.Duration, n int) { told = append(told, n) }, Taken: func() { ended = true },
	})
	if err != nil || p.Snapshots != 3 || p.Interval != time.Microsecond || p.Tool != "it" || !ended || !slices.Equal(told, []int{1, 2, 3}) {
		t.Errorf("%v: %d snapshots every %v by %q, told %v", err, p.Snapshots, p.Interval, p.Tool, told)
	}
	if p.Stops != 0 || p.Stopped != 0 || p.OwnCPU <= 0 {
		t.Errorf("%d stops of %v, %v of a CPU", p.Stops, p.Stopped, p.OwnCPU)
	}
	notes := strings.Join(p.Notes, "\n")
	for _, want := range []string{"why", "nothing was suspended", "for 26µs at most in 3 stackshots, 10µs in the longest"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in:\n%s", want, notes)
		}
	}
	if len(from.paths) != 2 {
		t.Errorf("the path was asked for %d times", len(from.paths))
	}
	if n := len(p.Images); n != 2 {
		t.Errorf("%d images, one of which took the other's place", n)
	}
}

// TestRecordErrors has what was captured before an error, and nothing of bad patterns.
func TestRecordErrors(t *testing.T) {
	p, err := recordOf(t, &set{shots: []*stackshot.Shot{client(t, mappedID)}}, capture.Options{Count: 3, Interval: time.Microsecond})
	if !errors.Is(err, errEmpty) || p.Snapshots != 1 {
		t.Errorf("%v after %d", err, p.Snapshots)
	}
	list, err := Record(t.Context(), Target{PID: 101, Source: &set{}}, capture.Options{Threads: profile.ThreadFilter{Names: []string{"["}}})
	if err == nil || len(list) != 0 {
		t.Errorf("a bad pattern: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := Record(ctx, Target{PID: 101, Source: &set{}}, capture.Options{Interval: time.Hour}); err != nil || len(list) != 0 {
		t.Errorf("without a context: %v, %d", err, len(list))
	}
}

// TestRecordOfAll has the kernel's own task only where its frames are wanted.
func TestRecordOfAll(t *testing.T) {
	for kernel, want := range map[bool]string{true: "kernel_task client server", false: "client server"} {
		list, err := Record(t.Context(), Target{PID: -1, Source: &set{shots: []*stackshot.Shot{shotOf()}}}, capture.Options{Count: 1, Kernel: kernel})
		var names []string
		for _, p := range list {
			names = append(names, p.Target.Name)
		}
		if got := strings.Join(names, " "); got != want || err != nil {
			t.Errorf("kernel=%t: %s, %v", kernel, got, err)
		}
	}
}

// TestRecordOfStill takes over the stack of a thread that has not run since the sample before,
// and not of one that was left out there.
func TestRecordOfStill(t *testing.T) {
	first := func() *stackshot.Shot {
		s := shotOf()
		s.Tasks = s.Tasks[1:2]
		s.Tasks[0].Threads = s.Tasks[0].Threads[1:]
		s.Tasks[0].Threads[0].Snapshot.State = stackshot.StateRun
		return s
	}
	delta := func(state uint32, at ...uint64) *stackshot.Shot {
		own := stackshot.Task{ID: 11, Delta: &stackshot.TaskDelta{UniquePID: 11}}
		if len(at) == 0 {
			own.Deltas = []stackshot.ThreadDelta{{ID: 0x71, State: state}}
		} else {
			own.Threads = []stackshot.Thread{{ID: 0x71, Snapshot: &stackshot.ThreadSnapshot{ID: 0x71, State: state}, User: []stackshot.Frame{{LR: at[0]}}}}
		}
		return &stackshot.Shot{Delta: true, AbsoluteTime: ref(100), Since: ref(100), Epoch: ref(1e15), Tasks: []stackshot.Task{own}}
	}
	for _, test := range []struct {
		running bool
		shots   []*stackshot.Shot
		want    string
	}{
		{false, []*stackshot.Shot{first(), delta(stackshot.StateRun), delta(stackshot.StateRun)}, "0x71 main=true: 0x100000000+0x20/3 0x100000000+0x10/3"},
		{true, []*stackshot.Shot{first(), delta(stackshot.StateWait, clientAt+0x40), delta(stackshot.StateRun)},
			"0x71 main=true: 0x100000000+0x20/1 0x100000000+0x10/1 0x100000000+0x40/1"},
	} {
		p, err := recordOf(t, &set{shots: test.shots}, capture.Options{Count: 3, Interval: time.Microsecond, Threads: profile.ThreadFilter{Running: test.running}})
		if got := stackText(p); err != nil || len(got) != 1 || got[0] != test.want {
			t.Errorf("%v, got %q, want %q", err, got, test.want)
		}
	}
}

// TestRecordOfProgram leaves out the kernel's part of a stack, too.
func TestRecordOfProgram(t *testing.T) {
	for kernel, want := range map[bool]int{true: 1, false: 0} {
		shot := client(t, otherID)
		shot.Tasks[0].Threads[1].Snapshot.Flags |= stackshot.ThreadKernelCut
		p, err := recordOf(t, &set{shots: []*stackshot.Shot{shot}}, capture.Options{Count: 1, Kernel: kernel})
		if n := strings.Count(strings.Join(p.Notes, "\n"), "callers in the kernel are missing"); err != nil || n != want {
			t.Errorf("kernel=%t: %v, %q", kernel, err, p.Notes)
		}
	}
}

// TestRecordMeetsImages places frames in an image that no sample before was in.
func TestRecordMeetsImages(t *testing.T) {
	first, second := client(t, mappedID), client(t, mappedID)
	first.Tasks[0].Images = append(first.Tasks[0].Images, stackshot.LoadInfo{Load: 0x10b000000, UUID: [16]byte{7}})
	second.Tasks[0].Images = first.Tasks[0].Images
	second.Tasks[0].Threads[1].User = []stackshot.Frame{{LR: 0x10b000010}}
	p, err := recordOf(t, &set{shots: []*stackshot.Shot{first, second}}, capture.Options{Count: 2, Interval: time.Microsecond})
	if got := stackText(p); err != nil || !strings.Contains(got[0], "0x10b000000+0x10/1") {
		t.Errorf("%v, %q", err, got)
	}
}
