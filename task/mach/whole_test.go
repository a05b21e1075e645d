package mach_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hang"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/task/mach"
	"stacksnap/task/machocore"
)

// The process of every world here: eight threads, of which a file says the
// truth (scripts/fixtures/makecores).
const coreFile = "../machocore/testdata/x86_64-O2.core"

// both runs a test in either world.
func both(t *testing.T, test func(t *testing.T, w *mach.World)) {
	for name, odd := range map[string]bool{"XNU": false, "odd": true} {
		t.Run(name, func(t *testing.T) {
			p := openCore(t)
			w, err := mach.NewWorld(p, odd)
			if err != nil {
				t.Fatal(err)
			}
			test(t, w)
			if left := w.Left(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func openCore(t *testing.T) task.Process {
	t.Helper()
	p, err := machocore.Open(coreFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func open(t *testing.T, w *mach.World) *mach.Process {
	t.Helper()
	p, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func shut(t *testing.T, p task.Process) {
	t.Helper()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func tree(t *testing.T, p *profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Tree(&b, report.Of(p), words.Options{Addresses: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var frameLine = regexp.MustCompile(`(?m)^ *(?:[0-9.%]+ +)*(\S.* \[0x[0-9a-f]+\]).*$`)

// frames are a report's lines of frames, without what counts how often.
func frames(report string) []string {
	var out []string
	for _, m := range frameLine.FindAllStringSubmatch(report, -1) {
		out = append(out, m[1])
	}
	return out
}

// wanted is what the core itself is reported as.
func wanted(t *testing.T) []string {
	t.Helper()
	prof, err := capture.OneShot(openCore(t), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := frames(tree(t, prof))
	if len(all) < 60 {
		t.Fatalf("only %d frames", len(all))
	}
	return all
}

// TestOneSnapshotIsTheCoresReport: the same process, live and saved.
func TestOneSnapshotIsTheCoresReport(t *testing.T) {
	want := wanted(t)
	both(t, func(t *testing.T, w *mach.World) {
		p := open(t, w)
		prof, err := capture.OneShot(p, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, frames(tree(t, prof))); d != "" {
			t.Error(d)
		}
		shut(t, p)
	})
}

// TestSamplesAreTheirSum: every sample of a process that stands still is of the
// same stacks, and the recording says what was said live.
func TestSamplesAreTheirSum(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		p := open(t, w)
		file := filepath.Join(t.TempDir(), "snap")
		prof, err := capture.Record(context.Background(), p, capture.Options{Interval: time.Millisecond, Count: 20, Save: file})
		if err != nil {
			t.Fatal(err)
		}
		live := tree(t, prof)
		for _, line := range []string{"20 samples", "many_saved + 21 (cases-O2)", "thrower(int)"} {
			if !strings.Contains(live, line) {
				t.Errorf("%q is missing:\n%s", line, live)
			}
		}
		for _, th := range prof.Threads {
			if th.Samples != 20 {
				t.Errorf("thread %d: %d samples", th.ID, th.Samples)
			}
		}
		shut(t, p)
		saved, err := capture.Replay(file, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(live, tree(t, saved)); d != "" {
			t.Error(d)
		}
	})
}

// TestADurationEnds, also where a stop is longer than the interval.
func TestADurationEnds(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		p := open(t, w)
		began := w.Uptime()
		prof, err := capture.Record(context.Background(), p, capture.Options{Interval: time.Millisecond, Duration: 100 * time.Millisecond})
		if err != nil || prof.Snapshots < 5 {
			t.Errorf("%+v, %v", prof, err)
		}
		if took := w.Uptime() - began; took > 150*time.Millisecond {
			t.Errorf("took %v", took)
		}
		shut(t, p)
	})
}

func TestChosenThreads(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		w.SetState(2, 3) // TH_STATE_WAITING
		for name, c := range map[string]struct {
			threads profile.ThreadFilter
			want    int
		}{
			"main":    {profile.ThreadFilter{Main: true}, 1},
			"running": {profile.ThreadFilter{Running: true}, 7},
			"blocked": {profile.ThreadFilter{Blocked: true}, 1},
			"id":      {profile.ThreadFilter{IDs: []task.ThreadID{0x1002, 0x1003}}, 2},
		} {
			p := open(t, w)
			prof, err := capture.Record(context.Background(), p, capture.Options{Interval: time.Millisecond, Count: 3, Threads: c.threads})
			if err != nil || len(prof.Threads) != c.want {
				t.Errorf("%s: %d threads, want %d; %v", name, len(prof.Threads), c.want, err)
			}
			shut(t, p)
		}
	})
}

// TestTheTargetEndsMeanwhile: what was captured is reported.
func TestTheTargetEndsMeanwhile(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		p := open(t, w)
		stops := 0
		w.Before(func(call string) {
			if call == "task_suspend" {
				if stops++; stops == 4 {
					w.Kill()
				}
			}
		})
		prof, err := capture.Record(context.Background(), p, capture.Options{Interval: time.Millisecond, Count: 20})
		var exited *task.ExitedError
		if !errors.As(err, &exited) || prof == nil || prof.Snapshots != 3 {
			t.Errorf("%+v, %v", prof, err)
		}
		shut(t, p)
	})
}

// TestCodeOutsideOfTheList: a program may run between functions of libraries
// that are in no list of dyld's, which are entered by frames.
func TestCodeOutsideOfTheList(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		const host, interrupted = 0x7f1200000000, 6
		w.Map(task.Region{Start: host, End: host + 0x1000, Prot: task.Read | task.Execute, Path: "/lib/libc.so.6"}, nothing{})
		w.Call(interrupted, host+0x100)
		w.Call(interrupted, host+0x200)
		p := open(t, w)
		prof, err := capture.OneShot(p, capture.Options{Threads: profile.ThreadFilter{IDs: []task.ThreadID{0x1007}}})
		if err != nil {
			t.Fatal(err)
		}
		report := tree(t, prof)
		_, report, _ = strings.Cut(report, "Thread 0x1007")
		report, _, _ = strings.Cut(report, "\nThread 0x")
		for _, line := range []string{"start", "stuck + ", "leaf_with_frame + 7", "_sigtramp", "moment + 10", "[0x7f1200000100]", "[0x7f1200000200]"} {
			if !strings.Contains(report, line) {
				t.Errorf("%q is missing:\n%s", line, report)
			}
		}
		shut(t, p)
	})
}

// TestTheMapIsAskedForAroundStackPointersAlone: each region of a target with
// thousands costs a question or two, and a path one more.
func TestTheMapIsAskedForAroundStackPointersAlone(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		for i := range task.Addr(2000) {
			w.Map(task.Region{Start: 0x7e0000000000 + i<<16, End: 0x7e0000001000 + i<<16, Prot: task.Read | task.Execute, Path: "/lib"}, nothing{})
		}
		asked := map[string]int{}
		w.Before(func(call string) { asked[call]++ })
		p := open(t, w)
		prof, err := capture.OneShot(p, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := len(prof.Threads)
		if all := asked["mach_vm_region"] + asked["mach_vm_region_recurse"]; all > 8*n || n < 8 || asked["proc_regionfilename"] > 0 {
			t.Errorf("%d threads: %d questions about regions, %d for paths", n, all, asked["proc_regionfilename"])
		}
		shut(t, p)
	})
}

// TestATargetThatSomeoneElseHasStopped is told as stopped, by whatever it was,
// and stays so.
func TestATargetThatSomeoneElseHasStopped(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		for how, halt := range map[string]func(yes bool){"signal": w.HaltBySignal, "debugger": w.HaltByHold} {
			halt(true)
			p := open(t, w)
			prof, err := capture.OneShot(p, capture.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, th := range prof.Threads {
				if th.State != task.Stopped || len(th.Roots) == 0 {
					t.Errorf("%s: thread %#x is %v", how, th.ID, th.State)
				}
			}
			if report := tree(t, prof); !strings.Contains(report, "the target was stopped, by a signal or a debugger") {
				t.Errorf("%s:\n%s", how, report)
			}
			watch, err := p.WatchThread(prof.Threads[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			w.SetState(0, 3)
			if g, err := watch.Observe(); err != nil || g.State != task.Stopped || g.Registers.Known != 0 {
				t.Errorf("%s: %+v, %v", how, g, err)
			}
			halt(false)
			if g, err := watch.Observe(); err != nil || g.State != task.Sleeping {
				t.Errorf("%s, gone on: %+v, %v", how, g, err)
			}
			w.SetState(0, 1)
			shut(t, p)
		}
		p := open(t, w)
		prof, err := capture.OneShot(p, capture.Options{})
		if err != nil || strings.Contains(tree(t, prof), "was stopped, by") {
			t.Errorf("%v, or it is called stopped", err)
		}
		shut(t, p)
	})
}

// nothing is memory of zeros.
type nothing struct{}

func (nothing) ReadMemory(b []byte, _ task.Addr) (int, error) { clear(b); return len(b), nil }

// TestABusyHang: a main thread that runs on and on, after a time in which it
// waited.
func TestABusyHang(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		const waiting, running = 3, 1
		w.SetState(0, waiting)
		w.Before(func(string) {
			if w.Uptime() > time.Second {
				w.SetState(0, running)
				w.SetCPU(0, w.Uptime())
			}
		})
		p := open(t, w)
		ctx, stop := context.WithCancel(context.Background())
		var reports []*hangreport.Report
		_, err := hang.Watch(ctx, p, hang.Options{Threshold: 250 * time.Millisecond, MaxHang: 2 * time.Second, Clock: p}, func(r *hangreport.Report) error {
			reports = append(reports, r)
			stop()
			return nil
		})
		if err != nil || len(reports) != 1 {
			t.Fatalf("%d reports, %v", len(reports), err)
		}
		r := reports[0]
		if r.Kind != hangreport.Busy || r.Ended || r.Duration < 2*time.Second || r.Phases[0].Function != "many_saved" {
			t.Errorf("%+v", r)
		}
		shut(t, p)
	})
}

// TestAThreadThatWaitsIsNotStuck, where all that is known is that it waits.
func TestAThreadThatWaitsIsNotStuck(t *testing.T) {
	both(t, func(t *testing.T, w *mach.World) {
		w.SetState(0, 3)
		p := open(t, w)
		ctx, stop := context.WithCancel(context.Background())
		w.Before(func(string) {
			if w.Uptime() > 20*time.Second {
				stop()
			}
		})
		_, err := hang.Watch(ctx, p, hang.Options{Threshold: 250 * time.Millisecond, Clock: p}, func(r *hangreport.Report) error {
			t.Errorf("%+v", r)
			return nil
		})
		if err != nil || ctx.Err() == nil {
			t.Error(err)
		}
		shut(t, p)
	})
}
