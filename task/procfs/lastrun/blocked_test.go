//go:build linux

package lastrun

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// echo is a process that waits for a line, writes it, and waits for the next.
type echo struct {
	id  task.ThreadID
	dir *os.File // /proc/PID/task
	in  *os.File
	out *bufio.Reader
}

func startEcho(t testing.TB) *echo {
	t.Helper()
	_, err := os.Stat("/proc/self/sched")
	needs.Feature(t, "/proc/PID/sched", err, unix.ENOENT)
	there, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cat")
	cmd.Stdin = there
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(fmt.Sprintf("/proc/%d/task", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _, _ = in.Close(), there.Close(), dir.Close()
		_ = cmd.Wait()
	})
	return &echo{task.ThreadID(cmd.Process.Pid), dir, in, bufio.NewReader(out)}
}

// wake has the process run, and returns when it still had to.
func (e *echo) wake(t testing.TB) time.Time {
	t.Helper()
	before := time.Now()
	if _, err := e.in.WriteString("line\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return before
}

func (e *echo) note() *Blocked { return Note(int(e.dir.Fd()), []task.ThreadID{e.id}) }

// noted notes the process as soon as it is blocked.
func (e *echo) noted() *Blocked {
	for {
		if b := e.note(); len(b.notes) > 0 {
			return b
		}
	}
}

// TestNotRunIsALowerBound: on each processor, a process that was woken has not run for longer and longer,
// and never for longer than since that.
func TestNotRunIsALowerBound(t *testing.T) {
	e := startEcho(t)
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	for cpu, seen := 0, 0; seen < min(all.Count(), 8); cpu++ {
		if !all.IsSet(cpu) {
			continue
		}
		seen++
		var one unix.CPUSet
		one.Set(cpu)
		if err := unix.SchedSetaffinity(int(e.id), &one); err != nil {
			t.Fatal(err)
		}
		woken := e.wake(t)
		for least := time.Duration(0); least < 50*time.Millisecond; {
			b := e.noted()
			most := time.Since(woken)
			least = b.NotRun(map[task.ThreadID]int{e.id: 0})[e.id]
			if least > most {
				t.Fatalf("processor %d: not run for %v at least, and was woken %v ago", cpu, least, most)
			}
		}
	}
}

// TestWokenIsLeftOut: of a thread that ran since it was noted, and of one that nobody asks for, nothing is
// said; nor of one that runs.
func TestWokenIsLeftOut(t *testing.T) {
	e := startEcho(t)
	e.wake(t)
	b := e.noted()
	if all := b.NotRun(nil); len(all) != 0 {
		t.Errorf("not asked for: %v", all)
	}
	for range 3 {
		e.wake(t)
		e.noted() // it waits again, so that each time counts
	}
	for stops := range 2 {
		if all := b.NotRun(map[task.ThreadID]int{e.id: stops}); len(all) != 0 {
			t.Errorf("%d stops: %v", stops, all)
		}
	}
	own, err := os.Open("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if b := Note(int(own.Fd()), []task.ThreadID{task.ThreadID(unix.Gettid())}); len(b.notes) != 0 {
		t.Errorf("a thread that runs was noted: %+v", b.notes)
	}
}

// TestAffinityIsKept: where our threads may run is the same after the clocks were read.
func TestAffinityIsKept(t *testing.T) {
	e := startEcho(t)
	e.wake(t)
	if err := e.noted().NotRun(map[task.ThreadID]int{e.id: 0}); len(err) == 0 {
		t.Error("nothing is known of a blocked thread")
	}
	var before, now unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &before); err != nil {
		t.Fatal(err)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		var id int
		_, _ = fmt.Sscan(thread.Name(), &id)
		if err := unix.SchedGetaffinity(id, &now); err == nil && now != before {
			t.Errorf("thread %d may run on %d processors of %d", id, now.Count(), before.Count())
		}
	}
}

// TestOtherProcessors: the clock of a processor on which we do not run is not read.
func TestOtherProcessors(t *testing.T) {
	runtime.LockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	files := reader{dir: unix.AT_FDCWD}
	_, own, ok := files.stat("/proc/thread-self/stat")
	if !ok {
		t.Fatal("no processor")
	}
	one.Set(own)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	clocks := movedTo([]note{{cpu: own}, {cpu: own + 1}, {cpu: max(0, own-1)}})
	if _, ok := clocks[own]; !ok || len(clocks) != 1 {
		t.Errorf("clocks of %v, want that of processor %d alone", clocks, own)
	}
	if err := unix.SchedSetaffinity(0, &before); err != nil {
		t.Fatal(err) // the thread ends with the test
	}
	runtime.UnlockOSThread()
}

// TestNotingAllocatesLittle: of each thread three files are read, with their names alone made anew.
func TestNotingAllocatesLittle(t *testing.T) {
	e := startEcho(t)
	e.noted()
	const times = 16
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		e.note()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > maxFile+4<<10 {
		t.Errorf("%d bytes to note a thread", each)
	}
}
