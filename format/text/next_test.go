package text

import (
	"strings"
	"testing"
	"time"

	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// waitingMain returns the main thread of a process, which waits.
func waitingMain(w profile.Wait) *profile.Thread {
	th := inState(1, task.Sleeping)
	th.Main, th.Wait = true, &w
	return th
}

// TestNext: the next command is that which helps with what the headline says, in one line.
func TestNext(t *testing.T) {
	const pid = 4194303 // the longest
	mutex := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8, Owner: 2}
	idle := waitingMain(profile.Wait{Call: "epoll_wait"})
	idle.Roots = []*profile.Node{{Location: profile.Location{Function: "event_base_loop"}}}
	starved := inState(1, task.Running)
	starved.Lifetime = task.Lifetime{Age: time.Second, Ran: 10 * time.Millisecond, Queued: 990 * time.Millisecond, Nice: 19}
	crowded := inState(1, task.Running)
	crowded.Lifetime = task.Lifetime{Age: time.Second, Ran: 400 * time.Millisecond, Queued: 600 * time.Millisecond}
	holder := inState(2, task.Sleeping)
	holder.Wait = &profile.Wait{Call: "read", Peer: profile.Peer{PID: 4194302, Name: "sleep", Action: profile.Write}}
	backend := &profile.Profile{Threads: []*profile.Thread{waitingMain(profile.Wait{Call: "epoll_wait"})}}
	backend.Target.Command.Args = []string{"postgres: 15/main: ann shop [local] UPDATE waiting"}
	traced := &profile.Profile{Threads: []*profile.Thread{inState(1, task.Stopped)}}
	traced.Target.Tracer = &task.Tracer{PID: 7, Name: "gdb"}
	stopped := &profile.Profile{Target: task.Info{OS: task.Linux}, Threads: []*profile.Thread{inState(1, task.Stopped)}}
	dead := someThreads()
	of := func(all ...*profile.Thread) *profile.Profile { return &profile.Profile{Threads: all} }
	const (
		sample = "stacksnap -d 5 4194303 shows where its time goes"
		goesOn = "stacksnap -d 5 4194303 shows whether it stays there"
		kept   = "stacksnap 4194303 -o 4194303.snap keeps it, before a restart"
	)
	for _, c := range []struct {
		name string
		p    *profile.Profile
		want string
	}{
		{"deadlock", dead, kept},
		{"hung", of(waitingMain(profile.Wait{Call: "futex", Hung: 1})), kept},
		{"its holder has ended", of(waitingMain(profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8, GoneOwner: 9})), kept},
		{"stopped", of(inState(1, task.Stopped)), "kill -CONT 4194303 continues it, if a signal stopped it"},
		{"stopped on Linux", stopped, "kill -CONT 4194303 continues it"},
		{"traced", traced, "stacksnap 7 shows the process that has stopped it"},
		{"idle", of(idle), "stacksnap --hang 2s 4194303 reports when it is stuck"},
		{"busy", of(inState(1, task.Running)), sample},
		{"starved", of(starved), "stacksnap --system -d 5 shows what else runs"},
		{"others have the processors", of(crowded), sample + "\nOther work:      stacksnap --system -d 5 shows what else runs"},
		{"a lock, whose holder runs", of(waitingMain(mutex), inState(2, task.Running)), sample},
		{"a lock, whose holder waits for a process", of(waitingMain(mutex), holder), "stacksnap 4194302 shows the process at the other end"},
		{"a lock of nobody", of(waitingMain(profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: 8})), goesOn},
		{"a file lock", of(waitingMain(profile.Wait{Call: "fcntl", Lock: profile.FileLock, OwnerPID: 4194302})), "stacksnap 4194302 shows the process that holds the lock"},
		{"its own file lock", of(waitingMain(profile.Wait{Call: "fcntl", Lock: profile.FileLock, OwnerPID: pid})), goesOn},
		{"a child", of(waitingMain(profile.Wait{Call: "wait4", Peer: profile.Peer{PID: 8, Action: profile.End}})), "stacksnap 8 shows the process that has to end"},
		{"itself", of(waitingMain(profile.Wait{Call: "read", Peer: profile.Peer{PID: pid, Self: true, Action: profile.Write}})), goesOn},
		{"a silent connection", of(waitingMain(profile.Wait{Call: "epoll_wait", Stalled: &task.Stalled{Count: 1, Remote: "10.0.0.1:80", PID: 9}})), "stacksnap 9 shows the process at the other end"},
		{"a row of PostgreSQL", backend, "psql -c 'SELECT pg_blocking_pids(4194303)' shows what blocks it"},
		{"a file", of(waitingMain(profile.Wait{Call: "fsync", Object: "fd 3 /file"})), goesOn},
	} {
		if c.p.Snapshots == 0 {
			c.p.Snapshots = 1
		}
		c.p.Target.PID, c.p.Target.Live = pid, true
		text := string(golden.WrittenReport(t, Tree, report.Of(c.p), words.Options{Width: 80}))
		if want := "\nNext:            " + c.want + "\nEvery frame:     stacksnap 4194303 --addresses\n"; !strings.Contains(text, want) {
			t.Errorf("%s: no %s\n%s", c.name, want, text)
		}
	}
}
