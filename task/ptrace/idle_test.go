//go:build linux

package ptrace

import (
	"testing"

	"stacksnap/task"
	"stacksnap/task/procfs"
	"stacksnap/task/procfs/procfstest"
)

// captured is a thread as it was when a syscall file said this.
func captured(t *testing.T, p *Process, line string) *task.Thread {
	t.Helper()
	call, err := procfs.ParseSyscall([]byte(line))
	must(t, err)
	return &task.Thread{ID: task.ThreadID(p.threads.all[0].tid), Registers: p.RegistersOf(&call)}
}

// TestRests: a process rests when each thread was found idle, until one has come to a
// processor since, or cannot be asked.
func TestRests(t *testing.T) {
	p, th, fake := fakeThread(t, "100 20 7\n", procfstest.InEpoll, procfstest.InEpoll)
	fake.SetState(t, 'S', "")
	k := captured(t, p, procfstest.InEpoll)
	k.State = task.Sleeping
	rests := func(want bool, when string) {
		t.Helper()
		if p.NothingRan() != want {
			t.Errorf("%s: not %v", when, want)
		}
	}
	rests(false, "before it was found idle")
	p.NotRun(task.ThreadID(th.tid), k)
	rests(true, "idle")
	rests(true, "still")
	fake.SetRuns(t, "100 20 8\n")
	rests(false, "after a run")
	p.NotRun(task.ThreadID(th.tid), k)
	rests(true, "back in its call")
	p.threads.all = append(p.threads.all, thread{tid: th.tid + 1})
	rests(false, "with a thread of which nothing is known")
	p.threads.all = nil
	rests(false, "without threads")
}

// TestSealedRests: of threads of which only the state may be read, it is as it was where
// they waited, and neither came to a processor nor used one.
func TestSealedRests(t *testing.T) {
	p, th, fake := fakeThread(t, "100 20 7\n")
	for _, test := range []struct {
		runs  string
		ready bool
		want  bool
	}{
		{"100 20 7\n", false, false}, // it was not asked before
		{"100 20 7\n", false, true},
		{"100 20 8\n", false, false},
		{"100 20 8\n", false, true},
		{"200 20 8\n", false, false},
		{"200 20 8\n", true, false},
		{"200 20 8\n", false, true},
		{"0 0 0\n", false, false}, // a kernel that does not count
	} {
		fake.SetRuns(t, test.runs)
		th.ready = test.ready
		if p.nothingRanUnseen() != test.want {
			t.Errorf("%+v", test)
		}
	}
}

// TestCopiesOfTheCalmAreDropped: threads that have not run for long are copied no more.
func TestCopiesOfTheCalmAreDropped(t *testing.T) {
	p, th, fake := fakeThread(t, "100 20 7\n", procfstest.InEpoll)
	fake.SetState(t, 'S', "")
	k := captured(t, p, procfstest.InEpoll)
	k.State = task.Sleeping
	p.NotRun(task.ThreadID(th.tid), k)
	e := p.Files.Of(th.tid)
	e.Kept = &copies{}
	for range dropCopiesAfter - 1 {
		p.NothingRan()
	}
	if e.Kept == nil {
		t.Error("too soon")
	}
	if p.NothingRan(); e.Kept != nil {
		t.Error("they are kept")
	}
}
