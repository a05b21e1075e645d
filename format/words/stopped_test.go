package words

import (
	"testing"

	"stacksnap/format/profile"
	"stacksnap/task"
)

func TestHalted(t *testing.T) {
	for halted, want := range map[int]string{
		0:  "",
		3:  "the target was stopped, by a signal or a debugger, in 3 of 10 snapshots",
		10: "the target was stopped, by a signal or a debugger: the stacks show where it will go on",
	} {
		p := &profile.Profile{Snapshots: 10, Halted: halted, Threads: []*profile.Thread{{Samples: 9}}}
		if got := stoppedNote(p); got != want {
			t.Errorf("%d of 10: %q, want %q", halted, got, want)
		}
	}
}

func TestHalter(t *testing.T) {
	for want, tracer := range map[string]*task.Tracer{
		"a signal or a debugger": nil, "gdb [812]": {PID: 812, Name: "gdb"}, `\x1b[2J [1]`: {PID: 1, Name: "\x1b[2J"}, "??? [7]": {PID: 7},
	} {
		p := &profile.Profile{Snapshots: 1, Halted: 1, Target: task.Info{Tracer: tracer}, Threads: []*profile.Thread{{Samples: 1, States: profile.States{task.Stopped: 1}}}}
		if got := Headline(p); got != "stopped, by "+want+": nothing runs until it goes on" {
			t.Errorf("%+v: %q", tracer, got)
		}
		if got := stoppedNote(p); got != "the target was stopped, by "+want+": the stacks show where it will go on" {
			t.Errorf("%+v: %q", tracer, got)
		}
	}
}

// TestResumedBy: the command is given for a live process of Linux alone, and not where it does nothing.
func TestResumedBy(t *testing.T) {
	live := task.Info{PID: 4711, OS: task.Linux, Live: true}
	for want, change := range map[string]func(*task.Info){
		"stopped, by a signal: nothing runs until it goes on; kill -CONT 4711 continues it":                            func(*task.Info) {},
		"stopped, by gdb [812]: nothing runs until it goes on; it traces the process, so that kill -CONT does nothing": func(i *task.Info) { i.Tracer = &task.Tracer{PID: 812, Name: "gdb"} },
		"stopped, by a signal or a debugger: nothing runs until it goes on":                                            func(i *task.Info) { i.Live = false },
	} {
		i := live
		change(&i)
		p := &profile.Profile{Snapshots: 1, Target: i, Threads: []*profile.Thread{{Samples: 1, States: profile.States{task.Stopped: 1}}}}
		if got := Headline(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestUninterruptible(t *testing.T) {
	th := &profile.Thread{ID: 1, Main: true, Samples: 100}
	th.States[task.Uninterruptible] = 72
	p := &profile.Profile{Snapshots: 100, Threads: []*profile.Thread{th}}
	const line = "main thread waits uninterruptibly, as for a disk, in 72 % of its samples"
	if got := Headline(p); got != line {
		t.Errorf("%q", got)
	}
	th.Roots = []*profile.Node{{Location: profile.Location{Function: "touches", Image: &profile.Image{Path: "/bin/it"}}, Self: 100}}
	if got := Headline(p); got != line+", in touches (it)" {
		t.Errorf("%q", got)
	}
	reads := profile.Wait{Call: "pread64", Object: "fd 3 /a"}
	th.Looks, th.Waits = 10, []profile.Waited{{Wait: reads, Looks: 6}, {Wait: profile.Wait{Call: "pread64", Object: "fd 3 /b"}, Looks: 3}}
	if got := Headline(p); got != line+", in pread64: fd 3 /a and others, in touches" {
		t.Errorf("%q", got)
	}
	end := profile.Waited{Wait: profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 2, OwnerName: "reads"}, Looks: 10}
	main := &profile.Thread{ID: 1, Main: true, Samples: 100, Looks: 10, Waits: []profile.Waited{end}, States: profile.States{task.Sleeping: 100}}
	th.ID, th.Name, th.Main, th.Waits = 2, "reads", false, th.Waits[:1]
	p.Threads = append(p.Threads, main)
	const other = "thread 2 \"reads\" waits uninterruptibly, as for a disk, in 72 % of its samples, in pread64: fd 3 /a, in touches; the main thread waits for its end"
	if got := Headline(p); got != other {
		t.Errorf("%q", got)
	}
	main.Waits[0].Owner = 3
	if got := Headline(p); got != `main thread waits for thread 3 "reads" to end, in all 10 checks` {
		t.Errorf("%q", got)
	}
}
