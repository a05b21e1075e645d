package stackshot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/stackshottest"
)

const version = "Darwin Kernel Version 24.0.0: today; x/RELEASE_ARM64"

// made is a Source of stackshots that were made before.
type made struct {
	shots  []*stackshot.Shot
	err    error // after them
	before func()
	since  []uint64 // what was asked for
}

func (m *made) Take(since uint64) ([]byte, error) {
	if m.before != nil {
		m.before()
	}
	if len(m.shots) == 0 {
		return nil, m.err
	}
	m.since = append(m.since, since)
	s := m.shots[0]
	m.shots = m.shots[1:]
	return stackshottest.Bytes(s), nil
}

func (m *made) Path(int, task.Addr) string { return "" }
func (m *made) Close() error               { return nil }

// clock goes on by what is slept.
type clock struct{ now time.Duration }

func (c *clock) Now() time.Duration         { return c.now }
func (c *clock) SleepUntil(t time.Duration) { c.now = max(c.now, t) }
func (c *clock) Asleep() time.Duration      { return 0 }
func (c *clock) each(d time.Duration, n int) task.Options {
	return task.Options{Interval: d, Count: n, Clock: c}
}

// shotAt is a stackshot of a process with a thread that runs and one that sleeps, or, of a
// delta, with the first alone.
func shotAt(time uint64, since uint64) *stackshot.Shot {
	s := &stackshot.Shot{AbsoluteTime: &time, Durations: &stackshot.Durations{Outer: 1000}}
	t := stackshot.Task{ID: 9, Threads: []stackshot.Thread{{ID: 1, User: []stackshot.Frame{{LR: 0x100000000 + time}}}}}
	if since != 0 {
		s.Delta, s.Since = true, &since
		t.Deltas = []stackshot.ThreadDelta{{ID: 2}}
	} else {
		s.OSVersion, s.Timebase = version, &stackshot.Timebase{Numer: 1, Denom: 1}
		t.Snapshot = &stackshot.TaskSnapshot{PID: 42}
		t.Threads = append(t.Threads, stackshot.Thread{ID: 2, User: []stackshot.Frame{{LR: 0x100000002}}})
	}
	s.Tasks = []stackshot.Task{t}
	return s
}

// collect writes what a series gives, a line each.
func collect(ctx context.Context, s *stackshot.Series) (lines []string, err error) {
	for shot, err := range s.All(ctx) {
		if err != nil {
			return lines, err
		}
		line := fmt.Sprintf("missed %d:", shot.Missed)
		for _, p := range shot.Processes() {
			ids, _ := p.Threads()
			slices.Sort(ids)
			for _, id := range ids {
				places, _ := p.Stack(nil, id)
				line += fmt.Sprintf(" %d/%d", id, places[0].Addr&0xffff)
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSeriesOfDeltas asks for what has changed since the last stackshot, and gives whole
// ones.
func TestSeriesOfDeltas(t *testing.T) {
	from := &made{shots: []*stackshot.Shot{shotAt(100, 0), shotAt(200, 100), shotAt(300, 200)}}
	kept := 0
	s := &stackshot.Series{Source: from, PID: 42, Times: (&clock{}).each(time.Second, 3), Keep: func(b []byte) error { kept += len(b); return nil }}
	got, err := collect(t.Context(), s)
	if err != nil || kept == 0 {
		t.Errorf("%v, %d bytes kept", err, kept)
	}
	wantLines(t, got, "missed 0: 1/100 2/2", "missed 0: 1/200 2/2", "missed 0: 1/300 2/2")
	if !slices.Equal(from.since, []uint64{0, 100, 200}) {
		t.Errorf("asked for what has changed since %d", from.since)
	}
}

// TestSeriesLetsTheSystemRun has the processors stand for 1 ms by each, which are wanted
// every 5 ms: at most one in 20 ms is taken.
func TestSeriesLetsTheSystemRun(t *testing.T) {
	c := &clock{}
	var shots []*stackshot.Shot
	for range 100 {
		s := shotAt(100, 0)
		s.Durations = &stackshot.Durations{Inner: 9, Outer: 900000, Prior: 100000}
		shots = append(shots, s)
	}
	from := &made{shots: shots, before: func() { c.now += time.Millisecond }}
	ended := -1
	o := task.Options{Interval: 5 * time.Millisecond, Duration: 100 * time.Millisecond, Clock: c, Ended: func(n int) { ended = n }}
	got, err := collect(t.Context(), &stackshot.Series{Source: from, PID: 42, Times: o})
	if err != nil || ended < 0 {
		t.Errorf("%v, %d missed at the end", err, ended)
	}
	wantLines(t, got, "missed 0: 1/100 2/2", "missed 3: 1/100 2/2", "missed 3: 1/100 2/2", "missed 3: 1/100 2/2", "missed 3: 1/100 2/2")
}

// TestSeriesEnds has the process not be there, end, and the source fail.
func TestSeriesEnds(t *testing.T) {
	empty := &stackshot.Shot{OSVersion: version}
	odd := errors.New("odd")
	for _, test := range []struct {
		name  string
		pid   int
		shots []*stackshot.Shot
		err   error
		want  func(error) bool
		lines int
	}{
		{"none", 42, []*stackshot.Shot{empty}, nil, isA[*task.NoProcessError], 0},
		{"none, told", 42, nil, &task.NoProcessError{PID: 42}, isA[*task.NoProcessError], 0},
		{"gone", 42, []*stackshot.Shot{shotAt(100, 0), empty}, nil, isA[*task.ExitedError], 1},
		{"gone, told", 42, []*stackshot.Shot{shotAt(100, 0)}, &task.NoProcessError{PID: 42}, isA[*task.ExitedError], 1},
		{"odd", 42, []*stackshot.Shot{shotAt(100, 0)}, odd, func(err error) bool { return err == odd }, 1},
		{"nobody in all", -1, []*stackshot.Shot{empty, empty}, odd, func(err error) bool { return err == odd }, 2},
	} {
		from := &made{shots: test.shots, err: test.err}
		got, err := collect(t.Context(), &stackshot.Series{Source: from, PID: test.pid, Times: (&clock{}).each(time.Second, 9)})
		if err == nil || !test.want(err) || len(got) != test.lines {
			t.Errorf("%s: %v after %d", test.name, err, len(got))
		}
	}
}

func isA[T error](err error) bool {
	var as T
	return errors.As(err, &as)
}

// TestSeriesStopsWithItsContext, and when nobody wants more.
func TestSeriesStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	from := &made{shots: []*stackshot.Shot{shotAt(100, 0), shotAt(200, 100)}, before: cancel}
	if got, err := collect(ctx, &stackshot.Series{Source: from, PID: 42, Times: (&clock{}).each(time.Second, 9)}); err != nil || len(got) != 1 {
		t.Errorf("%v after %d", err, len(got))
	}
	from = &made{shots: []*stackshot.Shot{shotAt(100, 0), shotAt(200, 100)}}
	for range (&stackshot.Series{Source: from, PID: 42, Times: (&clock{}).each(time.Second, 9)}).All(t.Context()) {
		break
	}
	if len(from.since) != 1 {
		t.Errorf("%d were taken", len(from.since))
	}
}

// TestSeriesKeeps has what was taken not be kept.
func TestSeriesKeeps(t *testing.T) {
	full := errors.New("full")
	from := &made{shots: []*stackshot.Shot{shotAt(100, 0)}}
	s := &stackshot.Series{Source: from, PID: 42, Times: (&clock{}).each(time.Second, 9), Keep: func([]byte) error { return full }}
	if got, err := collect(t.Context(), s); !errors.Is(err, full) || len(got) != 0 {
		t.Errorf("%v after %d", err, len(got))
	}
}

// TestSeriesKnowsTheKernel by a stackshot of that alone, in each that follows; and a file
// of the same stackshots tells it too, unless its kernel is another.
func TestSeriesKnowsTheKernel(t *testing.T) {
	const at = 0xffffff8000200000
	long := uint64(77) // ago
	kernel := &stackshot.Shot{OSVersion: version, AbsoluteTime: &long, Tasks: []stackshot.Task{{Images: []stackshot.LoadInfo{{Load: at, UUID: [16]byte{1}}}}}}
	named := func(s *stackshot.Shot) bool {
		p := s.Processes()[0]
		im, ok := p.Images().At(at + 0x10)
		return ok && im.Name == stackshot.KernelName && im.UUID == [16]byte{1}
	}
	var file []byte
	from := &made{shots: []*stackshot.Shot{shotAt(100, 0), shotAt(200, 100)}}
	s := &stackshot.Series{
		Source: from, Kernel: &made{shots: []*stackshot.Shot{kernel}},
		PID: 42, Times: (&clock{}).each(time.Second, 2), Keep: func(b []byte) error { file = append(file, b...); return nil },
	}
	for shot, err := range s.All(t.Context()) {
		if err != nil || !named(shot) || len(shot.Tasks) != 1 {
			t.Errorf("%v: where the kernel is, is not known", err)
		}
	}
	if !slices.Equal(from.since, []uint64{0, 100}) {
		t.Errorf("asked for what has changed since %d", from.since)
	}
	again := read(t, file)
	whole := slices.Collect(stackshot.Whole(again))
	if len(whole) != 3 || !named(whole[1]) || !named(whole[2]) {
		t.Errorf("of %d in the file, where the kernel is, is not known", len(again))
	}
	again[0].OSVersion = "another"
	if whole = slices.Collect(stackshot.Whole(again)); named(whole[1]) {
		t.Error("the kernel of another system is taken for this one's")
	}
	s = &stackshot.Series{Source: &made{}, Kernel: &made{err: stackshot.ErrNoSource}, Times: (&clock{}).each(time.Second, 2)}
	if _, err := collect(t.Context(), s); !errors.Is(err, stackshot.ErrNoSource) {
		t.Errorf("without a stackshot of the kernel: %v", err)
	}
	s.PID, s.Kernel = 42, &made{err: &task.PermissionError{PID: 0, Remedy: "ask"}}
	var refused *task.PermissionError
	if _, err := collect(t.Context(), s); !errors.As(err, &refused) || refused.PID != 42 || refused.Remedy != "ask" {
		t.Errorf("refused a stackshot of the kernel: %v", err)
	}
}

func read(t *testing.T, b []byte) []*stackshot.Shot {
	t.Helper()
	shots, err := stackshot.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return shots
}

// TestStood adds what the kernel tried before to the longer of what it tells of the last.
func TestStood(t *testing.T) {
	s := &stackshot.Shot{Timebase: &stackshot.Timebase{Numer: 125, Denom: 3}, Durations: &stackshot.Durations{Inner: 300, Outer: 600, Prior: 3}}
	if got := s.Stood(); got != 25125*time.Nanosecond {
		t.Errorf("%v", got)
	}
	s.Durations.Outer = 0 // old kernels
	if got := s.Stood(); got != 12625*time.Nanosecond {
		t.Errorf("%v", got)
	}
	if s.Timebase = nil; s.Stood() != 0 || new(stackshot.Shot).Stood() != 0 {
		t.Error("it is told by what is not known")
	}
}
