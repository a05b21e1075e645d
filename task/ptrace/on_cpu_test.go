//go:build linux

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// TestTurnIsProven says of a thread only what its counts prove.
func TestTurnIsProven(t *testing.T) {
	at := time.Now()
	before := schedState{at: at, runs: 10, queued: 5 * time.Millisecond, processor: 3}
	const stood = 2 * time.Millisecond // after that
	for name, c := range map[string]struct {
		before schedState
		runs   int
		waited time.Duration
		want   task.OnCPUState
		on     int
	}{
		"never left":          {before, 10, 0, task.OnCPU, 3},
		"waited all the time": {before, 11, 3 * time.Millisecond, task.Queued, 0},
		"waited for a part":   {before, 11, time.Millisecond, task.OnCPUUnknown, 0},
		"just as long":        {before, 11, stood, task.OnCPUUnknown, 0},
		"by another clock":    {before, 11, stood + time.Microsecond, task.OnCPUUnknown, 0},
		"waited twice":        {before, 12, 3 * time.Millisecond, task.OnCPUUnknown, 0},
		"not asked":           {schedState{}, 1, time.Second, task.OnCPUUnknown, 0},
		"not counted":         {before, 0, time.Second, task.OnCPUUnknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, th, _ := fakeThread(t, fmt.Sprintf("%d %d %d\n", time.Second, before.queued+c.waited, c.runs))
			p.Files.Find(th.tid)
			th.sched, th.stoppedAt = c.before, at.Add(stood)
			got, on := p.classifyOnCPU(th)
			if got != c.want || on != c.on {
				t.Errorf("turn %d on %d, want %d on %d", got, on, c.want, c.on)
			}
		})
	}
}

// pin has every thread of a process run on the processors given only.
func pin(t *testing.T, pid int, cpus ...int) {
	t.Helper()
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	dir, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range dir {
		var tid int
		_, _ = fmt.Sscan(e.Name(), &tid)
		if err := unix.SchedSetaffinity(tid, &set); err != nil {
			needs.Feature(t, "a free choice of processors", err, unix.EINVAL)
		}
	}
}

// allowed lists the processors that we may use, at most n.
func allowed(t *testing.T, n int) (cpus []int) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	for c := 0; c < 8*len(set)*8 && len(cpus) < n; c++ {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus
}

// TestTurnsOfBusyThreads: of threads that share one processor at most one has it,
// and it is that one. Both turns are met, where we have another processor.
func TestTurnsOfBusyThreads(t *testing.T) {
	g := startThreads(t, 3, "busy")
	cpus := allowed(t, 2)
	cpu := cpus[0]
	pin(t, g.pid, cpu)
	if len(cpus) > 1 {
		stayOn(t, cpus[1])
	}
	p := attach(t, g.pid)
	var s task.Snapshot
	met := map[task.OnCPUState]int{}
	// Others may have a processor for as long as many snapshots take.
	end := time.Now().Add(2 * time.Minute)
	for n := 0; n < 20 || (met[task.OnCPU] == 0 && len(cpus) > 1 || met[task.Queued] == 0) && time.Now().Before(end); n++ {
		take(t, p, &s)
		for i := range s.Threads {
			th := &s.Threads[i]
			if th.State == task.Running {
				met[th.OnCPUState]++
			} else if th.OnCPUState != task.OnCPUUnknown {
				t.Errorf("a thread that is %v has turn %d", th.State, th.OnCPUState)
			}
			if th.OnCPUState == task.OnCPU && th.Processor != cpu {
				t.Errorf("on processor %d, but it may run on %d only", th.Processor, cpu)
			}
		}
	}
	t.Log(met)
	if met[task.OnCPU]+met[task.Queued]+met[task.OnCPUUnknown] == 0 {
		needs.Skip(t, "a quiet machine", "no thread could run") // never on a processor of ours
	}
	if met[task.Queued] == 0 || met[task.OnCPU] == 0 && len(cpus) > 1 {
		t.Errorf("turns were %v", met)
	}
}

// stayOn has the test run on one processor until it ends.
func stayOn(t *testing.T, cpu int) {
	t.Helper()
	runtime.LockOSThread()
	var before, set unix.CPUSet
	set.Set(cpu)
	if err := errors.Join(unix.SchedGetaffinity(0, &before), unix.SchedSetaffinity(0, &set)); err != nil {
		needs.Feature(t, "a free choice of processors", err, unix.EINVAL)
	}
	t.Cleanup(func() {
		_ = unix.SchedSetaffinity(0, &before)
		runtime.UnlockOSThread()
	})
}

// TestSleepingThreadsHaveNoTurn: of those that cannot run, and that a stop does not
// disturb, nothing is asked but in which call they are.
func TestSleepingThreadsHaveNoTurn(t *testing.T) {
	g := startThreads(t, 4, "sleep")
	eventually(t, "all threads sleep", func() bool { return strings.Count(states(g.pid), "S") == 4 })
	p := attach(t, g.pid)
	s := task.Snapshot{Skip: true}
	take(t, p, &s)
	if n := p.Files.Len(); n > 0 {
		t.Errorf("the counts of %d threads were read", n)
	}
}

// scheduledSoFar is our own reading of what a sampling is to tell.
func scheduledSoFar(t *testing.T, pid int, id task.ThreadID) task.Schedule {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, id))
	if err != nil {
		t.Fatal(err)
	}
	var ran, queued time.Duration
	if _, err := fmt.Sscan(string(b), &ran, &queued); err != nil {
		t.Fatal(err)
	}
	return task.Schedule{Ran: ran.Truncate(time.Microsecond), Queued: queued.Truncate(time.Microsecond)}
}

// TestScheduleOfBusyThreads: of four threads on two processors, what a sample tells
// lies between what /proc told before the sample and after it.
func TestScheduleOfBusyThreads(t *testing.T) {
	for _, how := range []task.Suspension{task.SuspendDefault, task.SuspendThread, task.SuspendTask} {
		t.Run(how.String(), func(t *testing.T) { checkSchedule(t, how) })
	}
}

func checkSchedule(t *testing.T, how task.Suspension) {
	g := startThreads(t, 4, "busy")
	cpus := allowed(t, 2)
	pin(t, g.pid, cpus...)
	p := attach(t, g.pid)
	first, before, last := map[task.ThreadID]task.Schedule{}, map[task.ThreadID]task.Schedule{}, map[task.ThreadID]task.Schedule{}
	var begun, ended time.Time
	err := sample(t, p, 400, task.Options{Suspend: how}, func(s *task.Snapshot) {
		if ended = s.Time; begun.IsZero() {
			begun = ended
		}
		for i := range s.Threads {
			th := &s.Threads[i]
			after := scheduledSoFar(t, g.pid, th.ID)
			got := th.Schedule
			if was, ok := before[th.ID]; ok && (got.Ran < was.Ran || got.Queued < was.Queued) || got.Ran > after.Ran || got.Queued > after.Queued {
				t.Errorf("thread %d: %v, but /proc told %v before and %v after", th.ID, got, was, after)
			}
			if _, ok := first[th.ID]; !ok {
				first[th.ID] = got
			}
			before[th.ID], last[th.ID] = after, got
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var sum task.Schedule
	for id, l := range last {
		sum.Ran += l.Ran - first[id].Ran
		sum.Queued += l.Queued - first[id].Queued
		sum.Stopped += l.Stopped
	}
	t.Logf("in %v: %v", ended.Sub(begun), sum)
	if len(last) != 4 {
		t.Errorf("%d threads", len(last))
	}
	for id, l := range last {
		if !l.Known() {
			t.Errorf("thread %d: nothing is known", id)
		}
	}
}

// TestTurnNow is of a thread that can run, and of a processor that is known.
func TestTurnNow(t *testing.T) {
	behind := " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
	for _, test := range []struct {
		name, schedstat string
		state           byte
		processor       string
		want            bool
	}{
		{"runs", "100 20 7\n", 'R', behind + " 3 0", true},
		{"sleeps by now", "100 20 7\n", 'S', behind + " 3 0", false},
		{"on no processor", "100 20 7\n", 'R', "", false},
		{"not counted", "0 0 0\n", 'R', behind + " 3 0", false},
		{"of no file", "", 'R', behind + " 3 0", false},
	} {
		p, th, fake := fakeThread(t, test.schedstat)
		fake.SetState(t, test.state, test.processor)
		got := p.readSchedState(th.tid)
		if (got.runs == 7 && got.processor == 3 && got.queued == 20) != test.want || !test.want && got != (schedState{}) {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
