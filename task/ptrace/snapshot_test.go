//go:build linux

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs"
)

func TestEveryThreadIsCaptured(t *testing.T) {
	for _, n := range []int{1, 8, 64, often(2000)} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			g := startThreads(t, n, "sleep", 50)
			eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == n })
			p := attach(t, g.pid)
			p.SetLimits(task.Limits{MaxCopy: time.Minute}) // however busy the machine is
			var s task.Snapshot
			for range 3 {
				eventually(t, "all threads sleep again", func() bool { return strings.Count(states(g.pid), "S") == n })
				take(t, p, &s)
				if len(s.Threads) != n || s.Missed != 0 {
					t.Fatalf("%d threads and %d missed of %d", len(s.Threads), s.Missed, n)
				}
			}
			eventually(t, "all threads sleep again", func() bool { return strings.Count(states(g.pid), "S") == n })
			for i := range s.Threads {
				checkSleeper(t, g.pid, &s.Threads[i])
			}
		})
	}
}

// checkSleeper compares with what the kernel says of a sleeping thread: sp and
// pc are the last two fields of /proc/PID/task/TID/syscall. On arm64 a stop winds
// pause back to the instruction that makes the call.
func checkSleeper(t *testing.T, pid int, th *task.Thread) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", pid, th.ID))
	needs.Feature(t, "/proc/PID/syscall", err, unix.ENOENT, unix.EPERM, unix.EACCES)
	f := strings.Fields(string(b))
	pc := th.Registers.PC()
	if procfs.HostArch() == task.ARM64 && !th.Skipped {
		pc += 4
	}
	if sp := th.Registers.SP(); len(f) < 2 || f[len(f)-2] != sp.String() || f[len(f)-1] != pc.String() {
		t.Errorf("thread %d: sp %v, pc after the call %v; the kernel says %s", th.ID, sp, pc, b)
	}
	if th.Err != nil || len(th.Stacks) != 1 {
		t.Fatalf("thread %d: %d stacks, error %v", th.ID, len(th.Stacks), th.Err)
	}
	s := &th.Stacks[0]
	if s.Base != th.Registers.SP()-task.RedZone || s.Truncated() || s.Top != s.End() || len(s.Bytes) < 50*64 {
		t.Errorf("thread %d: stack %v to %v, top %v, sp %v", th.ID, s.Base, s.End(), s.Top, th.Registers.SP())
	}
	if th.ID != task.ThreadID(pid) && th.Name != "a (b) c)" || th.State != task.Sleeping {
		t.Errorf("thread %d: name %q, state %v", th.ID, th.Name, th.State)
	}
}

// The one test of a stop for which Go alone is enough.
func TestGoProgramIsCaptured(t *testing.T) {
	cmd := startHelper(t, "spin")
	p := attach(t, cmd.Process.Pid)
	var s task.Snapshot
	eventually(t, "a running thread is captured", func() bool { // Go's scheduler may be about to change it
		take(t, p, &s)
		return slices.ContainsFunc(s.Threads, func(th task.Thread) bool { return th.State == task.Running && th.Err == nil })
	})
	for range 20 {
		take(t, p, &s)
		for i := range s.Threads {
			if th := &s.Threads[i]; th.Registers.PC() == 0 || len(th.Stacks) != 1 {
				t.Errorf("thread %d: pc %v, %d stacks, %v", th.ID, th.Registers.PC(), len(th.Stacks), th.Err)
			}
		}
	}
	if at := tracerOf(cmd.Process.Pid); at != 0 {
		t.Errorf("still traced by %d", at)
	}
}

func TestNothingIsAllocatedDuringAStop(t *testing.T) {
	g := startThreads(t, 64, "mix", 50)
	p := attach(t, g.pid)
	var s task.Snapshot
	take(t, p, &s)
	snapshot := func() {
		resume, err := p.Suspend(task.StopOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ids, err := p.Threads()
		if err != nil || len(ids) != len(s.Threads) {
			t.Fatalf("%d threads, %v", len(ids), err)
		}
		for i, id := range ids {
			if err := p.Capture(id, &s.Threads[i]); err != nil {
				t.Fatal(err)
			}
		}
		var b [16]byte
		if _, err := p.Memory().ReadMemory(b[:], 16); err == nil {
			t.Fatal("read address 16")
		}
		if err := errors.Join(resume(), resume()); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(50, snapshot); n != 0 {
		t.Errorf("%v allocations in a stop", n)
	}
}

func TestThreadsThatComeAndGo(t *testing.T) {
	g := startThreads(t, 4, "churn")
	p := attach(t, g.pid)
	p.SetLimits(task.Limits{MaxCopy: time.Minute}) // however busy the machine is
	var s task.Snapshot
	n := 0
	eventually(t, "there are more threads than those that make them", func() bool {
		take(t, p, &s)
		for i := range s.Threads {
			if th := &s.Threads[i]; th.Err != nil && !errors.Is(th.Err, errUninterruptible) { // which waits for one that changes the memory map
				t.Errorf("thread %d: %v", th.ID, th.Err)
			}
		}
		n++
		return n >= often(300) && len(s.Threads) > 4
	})
	g.advances(t)
}

func TestGarbageStackPointerKeepsTheRegisters(t *testing.T) {
	g := startThreads(t, 3, "garbage")
	p := attach(t, g.pid)
	var s task.Snapshot
	eventually(t, "sp is garbage", func() bool {
		take(t, p, &s)
		return s.Threads[0].Registers.SP() == 0x10
	})
	th := &s.Threads[0]
	var fault *task.FaultError
	if !errors.As(th.Err, &fault) || th.Registers.PC() == 0 || len(th.Stacks) != 0 {
		t.Errorf("error %v, pc %v, %d stacks", th.Err, th.Registers.PC(), len(th.Stacks))
	}
	if len(s.Threads) != 3 || s.Threads[1].Err != nil || s.Threads[2].Err != nil {
		t.Errorf("the others suffered: %v", s.Threads[1].Err)
	}
}

func TestFirstThreadEnded(t *testing.T) {
	g := startThreads(t, 4, "leaderexit")
	eventually(t, "the first thread has ended", func() bool { return strings.Contains(states(g.pid), "Z") })
	p := attach(t, g.pid)
	if info := p.Info(); filepath.Base(info.Path) != "threads" || info.Arch != procfs.HostArch() {
		t.Errorf("info %+v", info)
	}
	var s task.Snapshot
	for range 5 {
		take(t, p, &s)
		if len(s.Threads) != 3 {
			t.Fatalf("%d threads, want the 3 that live", len(s.Threads))
		}
		for i := range s.Threads {
			if th := &s.Threads[i]; th.Err != nil || len(th.Stacks) != 1 {
				t.Errorf("thread %d: %v", th.ID, th.Err)
			}
		}
	}
}

func TestDeletedBinaryAndNewlineInItsName(t *testing.T) {
	original := startThreads(t, 1, "sleep")
	b, err := os.ReadFile(original.Path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a b\nc")
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	g := startProgram(t, path, 1, "sleep")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p := attach(t, g.pid)
	if got := p.Info().Path; got != path {
		t.Errorf("path %q, want %q", got, path)
	}
	found := 0
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Path == path && r.PathDeleted && r.Inode != 0 {
			found++
		}
	}
	if found < 3 {
		t.Errorf("%d deleted regions of the program", found)
	}
}

func TestRegionsHaveTheFilesDevice(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	p := attach(t, g.pid)
	var st unix.Stat_t
	if err := unix.Stat(g.Path, &st); err != nil {
		t.Fatal(err)
	}
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Path == g.Path && (r.Inode != st.Ino || r.Dev != st.Dev) {
			t.Errorf("device %#x inode %d, stat says %#x %d", r.Dev, r.Inode, st.Dev, st.Ino)
		}
	}
}

func TestMemoryEndsWhereItIsNotReadable(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	p := attach(t, g.pid)
	end := lastBeforeGap(t, p)
	for _, byFile := range []bool{false, true} {
		p.Mem.ByFile = byFile
		b := make([]byte, 3<<12)
		n, err := p.Memory().ReadMemory(b, end-5000)
		var fault *task.FaultError
		if n != 5000 || !errors.As(err, &fault) || fault.Addr != end {
			t.Errorf("by file %v: %d bytes, %v; want 5000 and a fault at %v", byFile, n, err, end)
		}
		for _, a := range []task.Addr{0, 16, 1 << 63, ^task.Addr(0) - 3} {
			if n, err := p.Memory().ReadMemory(b, a); n != 0 || !errors.As(err, &fault) || fault.Addr != a {
				t.Errorf("by file %v: read of %v gave %d bytes, %v", byFile, a, n, err)
			}
		}
	}
	var s task.Snapshot
	take(t, p, &s)
	if th := &s.Threads[0]; th.Err != nil || len(th.Stacks) != 1 {
		t.Errorf("a stack through /proc/PID/mem: %v", th.Err)
	}
}

// lastBeforeGap returns the end of a readable mapping of two pages or more that
// nothing follows.
func lastBeforeGap(t *testing.T, p *Process) task.Addr {
	t.Helper()
	var last task.Region
	for r, err := range p.Regions() {
		if err != nil {
			t.Fatal(err)
		}
		if last.Prot&task.Read != 0 && last.End-last.Start >= 2<<12 && last.End < r.Start && last.Path == "[heap]" {
			return last.End
		}
		last = r
	}
	needs.Skip(t, "a hole behind the heap", "")
	return 0
}
