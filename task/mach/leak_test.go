package mach

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"stacksnap/task"
)

// leakVariable sets how many samples [TestChurnLeavesNothing] takes.
const (
	leakVariable = "STACKSNAP_LEAK_SNAPSHOTS"
	leakSamples  = 20_000
)

// holdings are what the sampler holds of the kernel's and of memory.
type holdings struct {
	refs, arrays, holds int
	objects             uint64
}

func (s *scripted) holdings() holdings {
	h := holdings{arrays: s.arrays, holds: s.holds}
	for _, n := range s.refs {
		h.refs += n
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.objects = m.HeapObjects
	return h
}

// replaceThread ends a thread and starts another one on its stack, with a port
// of which no name is held.
func (s *scripted) replaceThread(t *testing.T, i int, id task.ThreadID) {
	tries, old := 0, s.threadList[i]
	s.endThread(i)
	name := old.port
	for s.refs[name] > 0 || s.thread(name) != nil || name == old.port {
		if name++; int(name) == len(s.refs) {
			name = firstThread
		}
		if tries++; tries > len(s.refs) {
			t.Fatal("all names of ports are held")
		}
	}
	s.dead[name] = false
	s.threadList = append(s.threadList, &scriptedThread{id: id, port: name, name: "brief", run: 3, words: old.words})
}

// TestChurnLeavesNothing samples a task whose threads come and go: one between
// any two samples, and sometimes one in the middle of one.
func TestChurnLeavesNothing(t *testing.T) {
	all := leakSamples
	if v, err := strconv.Atoi(os.Getenv(leakVariable)); err == nil {
		all = max(v, 100)
	}
	for _, how := range []task.Suspension{task.SuspendTask, task.SuspendNone} {
		t.Run(how.String(), func(t *testing.T) { churn(t, how, all) })
	}
}

func churn(t *testing.T, how task.Suspension, all int) {
	const threads = 8
	s := newScripted(task.ARM64, threads)
	s.mayRun = how == task.SuspendNone
	next := task.ThreadID(5000)
	replace := func() {
		next++
		s.replaceThread(t, 1+int(next)%(threads-1), next)
	}
	s.before = func(step int, call string) {
		if call == "thread_info(IDENTIFIER)" && step%13 == 0 {
			replace()
		}
	}
	var early, late holdings
	sampleScripted(t, s, task.Options{Count: all, Suspend: how}, func(n int, snap *task.Snapshot) {
		replace()
		if n%(all/20) != 0 {
			return
		}
		h := s.holdings()
		if h.arrays != 0 || h.holds != 0 || len(snap.Threads) < threads-2 { // two may end while they are captured
			t.Errorf("after sample %d: %+v, %d threads", n, h, len(snap.Threads))
		}
		if n <= all/10 {
			early = holdings{refs: max(early.refs, h.refs), objects: max(early.objects, h.objects)}
		} else {
			late = holdings{refs: max(late.refs, h.refs), objects: max(late.objects, h.objects)}
		}
	})
	t.Logf("%d samples, %d threads: at most %+v in the first tenth, %+v after that", all, next-5000, early, late)
	if late.refs > early.refs+threads || late.objects > early.objects+early.objects/10 {
		t.Error("something is left with each thread")
	}
}
