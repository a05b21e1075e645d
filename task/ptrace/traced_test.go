//go:build linux

package ptrace

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"stacksnap/task"
)

// TestTracedIsReadWithoutStop: what needs no ptrace is not refused.
func TestTracedIsReadWithoutStop(t *testing.T) {
	g := startThreads(t, 2, "sleep")
	startHelper(t, "trace", tidsOf(t, g.pid)...)
	p := attach(t, g.pid)
	if err := task.CanStop(p, task.SuspendNone); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both threads are read in their calls", func() bool {
		read := 0
		err := sample(t, p, 1, task.Options{Suspend: task.SuspendNone}, func(s *task.Snapshot) {
			for i := range s.Threads {
				if th := &s.Threads[i]; th.Err == nil && (th.Unstopped || th.Skipped) && len(th.Stacks) > 0 {
					read++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return read == 2
	})
}

// tidsOf returns a process's id, and those of its threads.
func tidsOf(t *testing.T, pid int) (ids []string) {
	t.Helper()
	ids = append(ids, strconv.Itoa(pid))
	p := attach(t, pid)
	all, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range all {
		ids = append(ids, strconv.Itoa(int(id)))
	}
	return ids
}

// TestTracedThreadIsTold: one thread that another program traces, and its tracer,
// are in every kind of snapshot, with the others' stacks.
func TestTracedThreadIsTold(t *testing.T) {
	for _, how := range []task.Suspension{task.SuspendTask, task.SuspendThread, task.SuspendTogether} {
		t.Run(how.String(), func(t *testing.T) {
			g := startThreads(t, 3, "busy")
			ids := tidsOf(t, g.pid)
			traced := ids[len(ids)-1]
			tracer := startHelper(t, "trace", ids[0], traced)
			p := attach(t, g.pid)
			told, others := 0, 0
			err := sample(t, p, 3, task.Options{Suspend: how}, func(s *task.Snapshot) {
				for i := range s.Threads {
					var by *task.TracedError
					switch th := &s.Threads[i]; {
					case strconv.Itoa(int(th.ID)) != traced:
						others++
					case errors.As(th.Err, &by) && by.Tracer == tracer.Process.Pid:
						told++
					default:
						t.Errorf("the traced thread: error %v", th.Err)
					}
				}
			})
			if err != nil || told != 3 || others != 6 {
				t.Errorf("told %d times of 3, others %d of 6, error %v", told, others, err)
			}
		})
	}
}

// TestBriefTracerIsWaitedFor: a thread is tried again until its tracer lets go.
func TestBriefTracerIsWaitedFor(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	holder := startHelper(t, "hold", strconv.Itoa(g.pid))
	p := attach(t, g.pid)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	th := p.threads.find(g.pid)
	p.other.begin()
	if p.seize(th); th.phase != refused {
		t.Fatalf("phase %d of a thread that another one traces", th.phase)
	}
	p.other.until = time.Now().Add(time.Hour)
	killed := make(chan error)
	go func() { killed <- holder.Process.Kill() }()
	p.seizeLater(th)
	if err := <-killed; err != nil || th.phase != seized || p.other.by != nil {
		t.Errorf("phase %d, traced by %v, error %v", th.phase, p.other.by, err)
	}
	p.suspended = true // so that it is let go of
	interrupt(th.tid)
	p.await(time.Now())
	if err := p.resume(); err != nil {
		t.Error(err)
	}
}

// TestLongTracerIsWaitedForOnce: not before every stop.
func TestLongTracerIsWaitedForOnce(t *testing.T) {
	g := startThreads(t, 1, "sleep")
	tracer := startHelper(t, "trace", strconv.Itoa(g.pid), strconv.Itoa(g.pid))
	p := attach(t, g.pid)
	if _, err := p.Threads(); err != nil {
		t.Fatal(err)
	}
	th := p.threads.find(g.pid)
	p.other.begin()
	p.other.until = time.Unix(1, 0) // over
	p.seizeLater(th)
	if p.other.by == nil || p.other.by.Tracer != tracer.Process.Pid || p.Traced() == nil {
		t.Fatalf("traced by %v, now %v", p.other.by, p.Traced())
	}
	p.other.begin()
	p.other.until = time.Now().Add(time.Hour) // would be waited for
	p.seizeLater(th)
	if p.other.by == nil {
		t.Error("the tracer is not told again")
	}
	_ = tracer.Process.Kill()
	_ = tracer.Wait()
	eventually(t, "it is free", func() bool { return p.Traced() == nil })
	var s task.Snapshot
	if take(t, p, &s); p.other.tid != 0 || s.Threads[0].Err != nil {
		t.Errorf("afterwards: thread %d is not waited for, error %v", p.other.tid, s.Threads[0].Err)
	}
}
