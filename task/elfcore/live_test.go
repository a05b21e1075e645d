//go:build linux

package elfcore_test

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/elfcore"
	"stacksnap/task/live"
	"stacksnap/task/needs"
	"stacksnap/unwind"
)

// program compiles testdata/blocked.c with flags and starts it; it is ready
// when it has said so.
func program(t *testing.T, flags ...string) *exec.Cmd {
	t.Helper()
	out := filepath.Join(t.TempDir(), "blocked")
	args := append([]string{"-O2", "-g", "-pthread", "-o", out, "testdata/blocked.c"}, flags...)
	if msg, err := exec.Command(needs.Compiler(t, "gcc", flags...), args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", flags, err, msg)
	}
	cmd := exec.Command(out)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	needs.Feature(t, "programs of 32 bits", cmd.Start(), syscall.ENOEXEC)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return cmd
}

// gcore makes a core of a process.
func gcore(t *testing.T, pid int) string {
	t.Helper()
	tool := needs.Tool(t, "gcore")
	p, err := live.Open(pid)
	needs.Ptrace(t, err)
	_ = p.Close()
	prefix := filepath.Join(t.TempDir(), "core")
	if msg, err := exec.Command(tool, "-o", prefix, fmt.Sprint(pid)).CombinedOutput(); err != nil {
		t.Fatalf("gcore: %v\n%s", err, msg)
	}
	return fmt.Sprintf("%s.%d", prefix, pid)
}

// frame is what must be the same of a live process and its core.
type frame struct {
	PC       task.Addr
	Function string
	Image    string
}

// stacks walks every thread of p.
func stacks(t *testing.T, p task.Process) map[task.ThreadID][]frame {
	t.Helper()
	var s task.Snapshot
	if err := task.Take(p, &s); err != nil {
		t.Fatal(err)
	}
	m, errs := images.Load(p, nil, nil)
	if len(errs) > 0 {
		t.Errorf("images: %v", errs)
	}
	defer func() { _ = m.Close() }()
	u := unwind.New(unwind.Options{CodeMask: p.Info().CodeMask})
	found := map[task.ThreadID][]frame{}
	for i := range s.Threads {
		th := &s.Threads[i]
		if th.Err != nil {
			t.Errorf("thread %d: %v", th.ID, th.Err)
		}
		frames, stop := u.Walk(nil, th, m, p.Memory())
		if stop.Reason != unwind.Bottom {
			t.Errorf("thread %d: %v: %v", th.ID, stop.Reason, stop.Err)
		}
		for _, f := range frames {
			loc := m.Locate(f.PC, f.Return)
			name := ""
			if loc.Image != nil {
				name = loc.Image.Name()
			}
			found[th.ID] = append(found[th.ID], frame{f.PC, loc.Function, name})
		}
	}
	return found
}

func TestACoreHasTheStacksOfTheLiveProcess(t *testing.T) {
	for _, flags := range [][]string{
		{"-fno-omit-frame-pointer"},
		{"-fomit-frame-pointer"},
		{"-static"},
		{"-m32"},
	} {
		t.Run(flags[0], func(t *testing.T) {
			cmd := program(t, flags...)
			core, err := elfcore.Open(gcore(t, cmd.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = core.Close() }()
			if problems := core.Info().Problems; len(problems) > 0 {
				t.Error(problems)
			}
			got := stacks(t, core)
			running, err := live.Open(cmd.Process.Pid)
			needs.Ptrace(t, err)
			defer func() { _ = running.Close() }()
			want := stacks(t, running)
			if diff := cmp.Diff(want, got); diff != "" || len(got) != 5 {
				t.Errorf("%d threads (-live +core):\n%s", len(got), diff)
			}
			compareInfo(t, running.Info(), core.Info())
		})
	}
}

func compareInfo(t *testing.T, want, got task.Info) {
	t.Helper()
	got.Live = true
	// What a core does not keep.
	want.ParentName, want.OSVersion, want.Start = "", "", got.Start
	want.Command, want.Machine, want.Footprint = got.Command, got.Machine, got.Footprint
	want.Folder, want.User, want.Group = "", nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("info (-live +core):\n%s", diff)
	}
}

// The mappings of files must be those of /proc/PID/maps. gcore does not write
// code, so that what is code must be guessed: all of it, and maybe more.
func TestRegionsAreThoseOfTheLiveProcess(t *testing.T) {
	cmd := program(t)
	core, err := elfcore.Open(gcore(t, cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = core.Close() }()
	running, err := live.Open(cmd.Process.Pid)
	needs.Ptrace(t, err)
	defer func() { _ = running.Close() }()
	want, got := fileRegions(t, running), fileRegions(t, core)
	for start, r := range got {
		w, ok := want[start]
		if !ok || w.End != r.End || w.Path != r.Path || w.Offset != r.Offset || w.Prot&task.Execute&^r.Prot != 0 {
			t.Errorf("%+v, live %+v", r, w)
		}
	}
	for start, w := range want {
		if _, ok := got[start]; w.Prot&task.Execute != 0 && !ok {
			t.Errorf("%+v is missing", w)
		}
	}
}

func fileRegions(t *testing.T, p task.Process) map[task.Addr]task.Region {
	t.Helper()
	found := map[task.Addr]task.Region{}
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Path) > 0 && r.Path[0] == '/' {
			found[r.Start] = r
		}
	}
	return found
}
