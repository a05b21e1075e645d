//go:build linux

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

func churnTime() time.Duration {
	switch {
	case long():
		return time.Minute
	case everything:
		return 3 * time.Second
	}
	return 1500 * time.Millisecond
}

// flat watches descriptors and heap while a recording goes on.
type flat struct {
	t        *testing.T
	n        int
	files    int
	heap     uint64
	maxFiles int
	threads  int // at most in a snapshot
	layouts  int // of libraries, that there may be: the files of each are kept open
	lastHeap uint64
}

func (f *flat) see(s *task.Snapshot, _ *images.Map) error {
	f.n++
	f.threads = max(f.threads, len(s.Threads)+s.Missed)
	if f.n%200 != 0 {
		return nil
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	all, _ := os.ReadDir("/proc/self/fd")
	f.maxFiles, f.lastHeap = max(f.maxFiles, len(all)), m.HeapAlloc
	if f.n == 400 {
		f.files, f.heap = len(all), m.HeapAlloc
	}
	return nil
}

func (f *flat) check() {
	f.t.Helper()
	f.t.Logf("%d snapshots of at most %d threads; %d descriptors, then at most %d; heap %d KB, then %d KB",
		f.n, f.threads, f.files, f.maxFiles, f.heap>>10, f.lastHeap>>10)
	// Two of each thread are open, for as many again that were there before; and the
	// program, three libraries of the system and one of each thread, with debug files.
	const ofLayout = 10
	if f.files > 0 && f.maxFiles > f.files+100+2*2*f.threads+ofLayout*f.layouts {
		f.t.Errorf("descriptors grew from %d to %d", f.files, f.maxFiles)
	}
}

func TestThreadsThatComeAndGo(t *testing.T) {
	cmd := start(t, compile(t, "churn", "-O1"), "threads")
	f := &flat{t: t}
	p := record(t, cmd, capture.Options{Interval: time.Millisecond, Duration: churnTime(), Each: f.see})
	f.check()
	t.Logf("%d threads in %d snapshots, %d missed ticks, %d missed threads, own CPU %v, stopped %v", p.NumThreads(), p.Snapshots, p.MissedTicks, p.MissedThreads, p.OwnCPU, p.Stopped)
	for _, th := range p.Threads {
		for _, n := range th.Nodes() {
			if th.Main && n.Function == "leaf" || !th.Main && n.Function == "main" {
				t.Errorf("thread %d (main %v) has %s on its stack", th.ID, th.Main, n.Function)
			}
		}
	}
}

// TestLibrariesThatComeAndGo: under with_a there must be no function of the
// library b, however long the sampler waits for a processor; and few samples are
// left out, because the mappings are read again for each of them until each of
// the few layouts that there are is known.
func TestLibrariesThatComeAndGo(t *testing.T) {
	program := compile(t, "churn", "-O1", "-ldl")
	hogs := 2 * runtime.NumCPU()
	for i, tt := range []struct {
		name    string
		old     bool // a kernel without PROCMAP_QUERY
		save    bool
		hogs    int // programs that want all processors
		threads int
	}{
		{name: "query", threads: 1},
		{name: "query, starved", hogs: hogs, threads: 1},
		{name: "query, threads", threads: 3},
		{name: "query, saved", threads: 1, save: true},
		{name: "table", old: true, threads: 1},
		{name: "table, threads, saved", old: true, threads: 3, save: true},
		{name: "table, starved", old: true, hogs: hogs, threads: 1},
		{name: "table, threads", old: true, threads: 3},
	} {
		if !isChosen(i) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			cmd := start(t, append([]string{program, "dlopen"}, churnLibraries(t, tt.threads)...)...)
			for range tt.hogs {
				start(t, program, "spin")
			}
			if tt.old {
				refuseQuery(t)
			}
			f := &flat{t: t, layouts: int(math.Pow(3, float64(tt.threads)))} // a, b or none of each thread
			o := capture.Options{Interval: time.Millisecond, Jitter: time.Millisecond, Count: churnCount(), Each: f.see}
			if tt.save {
				o.Save = filepath.Join(t.TempDir(), "recording")
			}
			p := record(t, cmd, o)
			f.check()
			checkChurn(t, p, tt.threads)
			if tt.save {
				checkReplay(t, o.Save, p)
			}
		})
	}
}

// TestSingleSnapshotsWhileLibrariesComeAndGo: a snapshot is repeated when what was
// mapped is not known, and a stack for which that does not help is left out.
func TestSingleSnapshotsWhileLibrariesComeAndGo(t *testing.T) {
	program := compile(t, "churn", "-O1", "-ldl")
	for _, old := range []bool{false, true} {
		t.Run(fmt.Sprintf("old %v", old), func(t *testing.T) {
			cmd := start(t, append([]string{program, "dlopen"}, churnLibraries(t, 3)...)...)
			if old {
				refuseQuery(t)
			}
			p, err := live.Open(cmd.Process.Pid)
			if err != nil {
				needs.Ptrace(t, err)
			}
			defer p.Close()
			threads, seen, bad, without, stops, n := 0, 0, 0, 0, 0, 0
			for end := time.Now().Add(patience); n < rounds(churnCount()/10) || seen == 0 && time.Now().Before(end); n++ {
				one, err := capture.OneShot(p, capture.Options{})
				if err != nil {
					t.Fatal(err)
				}
				under, wrong := countUnder(one)
				for _, n := range under {
					seen += n
				}
				bad, stops = bad+wrong, stops+one.Stops
				for _, th := range one.Threads {
					threads, without = threads+1, without+th.Empty
				}
			}
			t.Logf("%d snapshots, %d stops; %d threads, %d in a library, %d wrong, %d left out", n, stops, threads, seen, bad, without)
			// How many are left out depends on how fast the libraries change, and on how
			// soon we get a processor; without further stops it would be most.
			if many := os.Getenv(timing) != "" && without > threads/3; seen == 0 || bad > 0 || many {
				t.Errorf("%d of %d threads in a library, %d have a function of the other one, %d left out", seen, threads, bad, without)
			}
		})
	}
}

func churnCount() int {
	if long() {
		return 20000
	}
	return 1000
}

// churnLibraries makes two libraries for each thread.
func churnLibraries(t *testing.T, threads int) (libs []string) {
	dir := t.TempDir()
	for i := range 2 * threads {
		name := string("ab"[i%2])
		lib := filepath.Join(dir, fmt.Sprintf("lib%s%d.so", name, i))
		if err := os.Rename(compile(t, "churn", "-O1", "-fno-omit-frame-pointer", "-shared", "-fPIC", "-DLIB="+name), lib); err != nil {
			t.Fatal(err)
		}
		libs = append(libs, lib)
	}
	return libs
}

func checkChurn(t *testing.T, p *profile.Profile, threads int) {
	t.Helper()
	under, wrong := countUnder(p)
	left := p.Snapshots * threads
	for _, th := range p.Threads {
		left -= th.Samples
	}
	t.Logf("%d snapshots, %d wrong, %d left out; %v, %d missed, own CPU %v, stopped %v; notes %q",
		p.Snapshots, wrong, left, under, p.MissedTicks, p.OwnCPU, p.Stopped, p.Notes)
	if wrong > 0 {
		t.Errorf("%d samples have a function of the other library", wrong)
	}
	if most := mostLeft(p.Snapshots, threads); left > most {
		t.Errorf("%d samples were left out, want at most %d", left, most)
	}
	if under["with_a/work_a"] == 0 || under["with_b/work_b"] == 0 {
		t.Errorf("the libraries' own functions were not seen: %v", under)
	}
}

func checkReplay(t *testing.T, path string, p *profile.Profile) {
	t.Helper()
	again, err := capture.Replay(path, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var live, replayed bytes.Buffer
	if err := errors.Join(jsondoc.Write(&live, report.Of(p), words.Options{}), jsondoc.Write(&replayed, report.Of(again), words.Options{})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(live.String(), "\n"), strings.Split(replayed.String(), "\n")); diff != "" {
		t.Errorf("the recording gives another report: (-live +replayed)\n%s", diff)
	}
}

// mostLeft is how many samples may be left out, so that there is something to
// judge by. It is far more than there are: of one thread, which makes three layouts,
// 1 to 4 of 1,000, for one that is known is read no more. How many it takes until
// they are known is chance, and the machine's: the layout is read beside a target
// that runs on. Several threads make more layouts than are kept, as their libraries
// take each other's places: 120 to 390 of 3,000, seen.
func mostLeft(snapshots, threads int) int {
	if threads == 1 {
		return snapshots / 5
	}
	return snapshots * threads / 3
}

// countUnder counts samples of work_X by what called it, and those of the wrong
// caller.
func countUnder(p *profile.Profile) (under map[string]int, wrong int) {
	under = map[string]int{}
	for _, th := range p.Threads {
		var path []string
		for depth, n := range th.Nodes() {
			path = append(path[:depth], n.Function)
			if !strings.HasPrefix(n.Function, "work_") {
				continue
			}
			for _, caller := range path {
				if strings.HasPrefix(caller, "with_") {
					under[caller+"/"+n.Function] += n.Count
					if isOfOther(caller, n.Function) {
						wrong += n.Count
					}
				}
			}
		}
	}
	return under, wrong
}

// isOfOther reports whether with_X called into a library that is not X's: its function
// work_Y, or the stub through which that is called, work_Y@plt.
func isOfOther(with, work string) bool {
	library := strings.TrimSuffix(strings.TrimPrefix(work, "work_"), "@plt")
	return strings.TrimPrefix(with, "with_") != library
}

func TestProgramThatCallsExec(t *testing.T) {
	cmd := start(t, compile(t, "churn", "-O1"), "exec")
	p, err := live.Open(cmd.Process.Pid)
	if err != nil {
		needs.Ptrace(t, err)
	}
	defer p.Close()
	n := 0
	prof, err := capture.Record(context.Background(), p, capture.Options{Interval: time.Millisecond, Each: func(*task.Snapshot, *images.Map) error {
		if n++; n == 100 {
			return cmd.Process.Signal(syscall.SIGUSR1) // which has it call exec
		}
		return nil
	}})
	var exited *task.ExitedError
	if !errors.As(err, &exited) || prof == nil || prof.Snapshots < 100 {
		t.Fatalf("%v", err)
	}
	t.Logf("%d snapshots, then %v; notes %q", prof.Snapshots, err, prof.Notes)
	for _, th := range prof.Threads {
		for _, n := range th.Nodes() {
			if n.Function == "leaf" || n.Function == "brief" {
				t.Errorf("%s is of the program that came after", n.Function)
			}
		}
	}
}

func TestProgramThatForks(t *testing.T) {
	cmd := start(t, compile(t, "churn", "-O1"), "fork")
	f := &flat{t: t}
	p := record(t, cmd, capture.Options{Interval: time.Millisecond, Duration: churnTime(), Each: f.see})
	f.check()
	t.Logf("%d threads, %d snapshots, %d missed, own CPU %v", p.NumThreads(), p.Snapshots, p.MissedTicks, p.OwnCPU)
	if p.NumThreads() != 1 {
		t.Errorf("%d threads, want only the parent's one", p.NumThreads())
	}
}
