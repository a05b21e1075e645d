package inturn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
	"stacksnap/task/needs"
)

// sleeper starts a program that does nothing, and waits until it does.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(needs.Tool(t, "sleep"), "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", cmd.Process.Pid)); err != nil || strings.Contains(string(b), "nanosleep") {
			return cmd
		}
	}
	needs.Skip(t, "/proc/PID/wchan", "the kernel does not tell that it sleeps")
	return nil
}

// stage is processes that come and go at looks of a sampling.
type stage struct {
	pids   []int
	looks  int
	change map[int]func() // before which look
}

func (s *stage) field() Field {
	return Field{List: func() ([]int, error) {
		if change := s.change[s.looks]; change != nil {
			change()
		}
		s.looks++
		return slices.Clone(s.pids), nil
	}, Look: live.Look, Most: 10}
}

func options(n int) capture.Options {
	return capture.Options{Tool: "test", Interval: 20 * time.Millisecond, Count: n}
}

func record(t *testing.T, f Field, o capture.Options) *Result {
	t.Helper()
	r, err := Record(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Profiles {
		if p.Stops != 0 || p.Stopped != 0 {
			t.Errorf("pid %d was stopped", p.Target.PID)
		}
	}
	return r
}

func of(t *testing.T, r *Result, pid int) *profile.Profile {
	t.Helper()
	g := profile.Group{Profiles: r.Profiles}
	p := g.Find(pid)
	if p == nil {
		t.Fatalf("nothing of pid %d", pid)
	}
	return p
}

func hasNote(p *profile.Profile, text string) bool {
	return slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, text) })
}

// TestProcessesComeAndGo: one is there all the time, one ends and another begins.
func TestProcessesComeAndGo(t *testing.T) {
	stays, ends := sleeper(t), sleeper(t)
	s := &stage{pids: []int{stays.Process.Pid, ends.Process.Pid}}
	var begins *exec.Cmd
	s.change = map[int]func(){
		3: func() { begins = sleeper(t); s.pids = append(s.pids, begins.Process.Pid) },
		5: func() { _ = ends.Process.Kill(); _ = ends.Wait(); s.pids = slices.Delete(s.pids, 1, 2) },
	}
	r := record(t, s.field(), options(10))
	if len(r.Profiles) != 3 || len(r.Missing)+r.More+r.Sealed != 0 {
		t.Fatalf("%d profiles, %+v", len(r.Profiles), r)
	}
	all, ended, begun := of(t, r, stays.Process.Pid), of(t, r, ends.Process.Pid), of(t, r, begins.Process.Pid)
	if all.Snapshots != 10 || ended.Snapshots != 4 || begun.Snapshots != 8 {
		t.Errorf("%d, %d and %d snapshots", all.Snapshots, ended.Snapshots, begun.Snapshots)
	}
	if hasNote(all, "sampling had begun") || !hasNote(ended, "it ended") || !hasNote(begun, "it was found") {
		t.Errorf("notes %q, %q, %q", all.Notes, ended.Notes, begun.Notes)
	}
	th := all.Threads[0]
	if th.Samples != 10 || th.States[task.Sleeping] != 10 || len(th.Roots) != 1 || th.Roots[0].Count != 10 {
		t.Errorf("%d samples, states %v, %d trees", th.Samples, th.States, len(th.Roots))
	}
	if th.Looks < 2 || th.Wait == nil || !strings.Contains(th.Wait.Call, "nanosleep") {
		t.Errorf("it waits for %+v", th.Wait)
	}
	if len(r.Notes) != 2 || !strings.HasPrefix(r.Notes[0], "captured in turn 10 times") {
		t.Errorf("notes %q", r.Notes)
	}
}

// TestInterruptedAtOnce has one look at least.
func TestInterruptedAtOnce(t *testing.T) {
	s := &stage{pids: []int{sleeper(t).Process.Pid, sleeper(t).Process.Pid}}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r, err := Record(ctx, s.field(), options(0))
	if err != nil || len(r.Profiles) != 1 || r.Profiles[0].Snapshots != 1 || r.More != 1 {
		t.Fatalf("%v, %+v", err, r)
	}
	if r.Profiles[0].Threads[0].Wait == nil {
		t.Error("it was not asked what it waits for")
	}
}

// TestWhatCannotBeLookedAt: that a pid is none is nothing to tell of, other errors are;
// and of those that may not be read it is told once.
func TestWhatCannotBeLookedAt(t *testing.T) {
	other, sealed := errors.New("not to be had"), &task.PermissionError{PID: 3}
	pid := sleeper(t).Process.Pid
	s := &stage{pids: []int{1, 2, pid}, change: map[int]func(){}}
	f, tried := s.field(), map[int]int{}
	f.Look = func(n int) (task.Process, error, error) {
		tried[n]++
		switch n {
		case 1:
			return nil, nil, &task.NoProcessError{PID: 1}
		case 2:
			return nil, nil, other
		}
		p, _, err := live.Look(n)
		return p, sealed, err
	}
	s.change[3] = func() { s.pids = []int{2, pid} }
	s.change[4] = func() { s.pids = []int{1, 2, pid} } // another one has the number
	r := record(t, f, options(8))
	if len(r.Missing) != 1 || r.Missing[0] != (profile.Missing{PID: 2, Why: "not to be had"}) || tried[1] != 2 || tried[2] != 1 {
		t.Errorf("missing %v, tried %v", r.Missing, tried)
	}
	if r.Found != 1 || r.Sealed != 1 || r.Refusal != sealed || len(r.Profiles) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestNoMoreThanAllowed: what there is no room for waits until there is, and is counted.
func TestNoMoreThanAllowed(t *testing.T) {
	first, second, third := sleeper(t), sleeper(t), sleeper(t)
	s := &stage{pids: []int{first.Process.Pid, second.Process.Pid, third.Process.Pid}}
	s.change = map[int]func(){3: func() { _ = first.Process.Kill(); _ = first.Wait(); s.pids = s.pids[1:] }}
	f := s.field()
	f.Most = 1
	r := record(t, f, options(8))
	if len(r.Profiles) != 2 || r.More != 1 || of(t, r, second.Process.Pid).Snapshots >= 8 {
		t.Errorf("%d profiles, %d more", len(r.Profiles), r.More)
	}
}

// TestLost: a process that ends before there was time for it is counted.
func TestLost(t *testing.T) {
	s := &stage{pids: []int{sleeper(t).Process.Pid, sleeper(t).Process.Pid}}
	s.change = map[int]func(){3: func() { s.pids = s.pids[:1] }}
	f := s.field()
	f.Most = 1
	r := record(t, f, options(6))
	if r.More != 0 || !strings.Contains(r.Notes[1], "1 ended before there was time") {
		t.Errorf("%d more, notes %q", r.More, r.Notes)
	}
}

// TestMissed counts looks for which there was no time, in the head and of each process.
func TestMissed(t *testing.T) {
	s := &stage{pids: []int{sleeper(t).Process.Pid}}
	s.change = map[int]func(){3: func() { time.Sleep(100 * time.Millisecond) }}
	r := record(t, s.field(), options(5))
	if p := r.Profiles[0]; p.MissedTicks < 4 || !strings.Contains(r.Notes[0], " missed);") {
		t.Errorf("%d missed, notes %q", p.MissedTicks, r.Notes)
	}
}

// TestNoList is an error.
func TestNoList(t *testing.T) {
	f := Field{List: func() ([]int, error) { return nil, errors.New("no list") }, Look: live.Look, Most: 1}
	if r, err := Record(t.Context(), f, options(1)); err == nil || r != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
