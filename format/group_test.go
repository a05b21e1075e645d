package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hang"
	"stacksnap/task"
)

// group is three processes: one waits for the second to end, which waits for a lock
// that the third has.
func group() *profile.Group {
	make, shell, compiler := noThreads(), noThreads(), linux()
	compiler.Threads = compiler.Threads[1:2]
	make.Target.PID, make.Target.Name = 11, "make"
	shell.Target.PID, shell.Target.Name = 12, "s\x1bh"
	shell.Start = make.Start.Add(312 * time.Microsecond)
	compiler.Start = make.Start.Add(95 * time.Microsecond)
	make.Threads = []*profile.Thread{{ID: 11, Main: true, State: task.Sleeping, Samples: 1, Wait: &profile.Wait{
		Call: "wait4", Object: "process 12 to end", Peer: profile.Peer{PID: 12, Name: "s\x1bh", Thread: 12, Act: profile.End},
	}}}
	shell.Threads = []*profile.Thread{
		{ID: 12, Main: true, State: task.Sleeping, Samples: 1, Wait: &profile.Wait{
			Call: "futex", Lock: profile.Mutex, Addr: 0x7f0010,
			Peer: profile.Peer{PID: 4242, Name: "demo", Thread: 4243, ThreadName: "busy", Act: profile.Release},
		}},
		{ID: 13, State: task.Sleeping, Samples: 1, Wait: &profile.Wait{
			Call: "read", Object: "fd 3 pipe:[9]", Peer: profile.Peer{PID: 11, Name: "make", Thread: 11, Act: profile.Write, Others: true},
		}},
		{ID: 14, State: task.Sleeping, Samples: 1, Wait: &profile.Wait{
			Call: "write", Object: "fd 4 pipe:[8]", Peer: profile.Peer{PID: 11, Name: "make", Thread: 11, Act: profile.Read},
		}},
	}
	return &profile.Group{
		Tool: "stacksnap 1.0", Profiles: []*profile.Profile{make, shell, compiler},
		Missing: []profile.Missing{{PID: 14, Why: "no process with pid 14"}}, More: 3, Notes: []string{"looked at \x1b twice"},
	}
}

func TestGroupGolden(t *testing.T) {
	for name, write := range map[string]GroupWriter{
		"group.txt": GroupTree(Options{}), "group.json": GroupJSON, "group.jsonl": GroupJSONLine, "group.folded": GroupFolded,
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b, group()); err != nil {
				t.Fatal(err)
			}
			checkGolden(t, name, b.Bytes())
		})
	}
}

// TestGroupSummary has the line of each kind.
func TestGroupSummary(t *testing.T) {
	circle := group()
	circle.Profiles[1].Threads[0].Wait = &profile.Wait{Call: "read", Peer: profile.Peer{PID: 11, Thread: 11, Act: profile.Write}}
	circle.Deadlocks = profile.Circles(circle.Waiters())
	many := group()
	many.Profiles[1].Threads[0].Wait.Peer.Thread = 0
	sure := group()
	sure.Profiles = sure.Profiles[1:2]
	unsure := group()
	unsure.Profiles[0].Threads[0].Wait.Peer.Others = true
	for name, c := range map[string]struct {
		of   *profile.Group
		want string
	}{
		"chain":  {group(), `main thread of make [11] waits for s\x1bh [12] to end, which waits for a mutex that demo [4242] has, which is on a CPU, in hot`},
		"circle": {circle, `2 threads wait for each other: main thread of make [11] waits for s\x1bh [12] to end, which waits for make [11] to write`},
		"many":   {many, `, which waits for a mutex that demo [4242] has`},
		"alone":  {sure, `s\x1bh [12]: main thread waits for mutex 0x7f0010, held by thread 4243 "busy" of demo [4242]`},
		"unsure": {unsure, `main thread of make [11] waits in wait4, with s\x1bh [12] at the other end, which waits`},
	} {
		got := GroupSummary(c.of)
		if name == "chain" {
			c.want, _, _ = strings.Cut(c.want, "in hot")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestHangFollowed has what a stuck thread waited for in other processes, and its stacks.
func TestHangFollowed(t *testing.T) {
	g := circle()
	r := &hang.Report{Reason: hang.Hang, Thread: 11, Profile: g.Profiles[0], Followed: capture.Followed{
		Chain: profile.Chain(g.Waiters(), 11, 11), Deadlocks: g.Deadlocks, Profiles: g.Profiles[1:],
		Missing: []profile.Missing{{PID: 14, Why: "not permitted to read pid 14"}},
	}}
	for name, write := range map[string]HangWriter{"tree": Hang(Options{}), "summary": HangBrief(Options{})} {
		var b bytes.Buffer
		if err := write(&b, r); err != nil {
			t.Fatal(err)
		}
		text := strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(b.String()), " "), " "+goesOn, " "))
		for _, want := range []string{
			"hang waits: main thread of make [11] waits in read: fd 5 pipe:[7], for thread 13 of s\\x1bh [12] to write, which waits for file lock",
			"deadlock: main thread of make [11] waits", "missing: not permitted to read pid 14", `s\x1bh [12]`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
	}
	var b bytes.Buffer
	if err := HangLine(&b, r); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Chain     []struct{ ID, PID int }
		Deadlocks [][]any
		Missing   []struct{ PID int }
		Followed  []struct{ Threads []struct{ ID int } }
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil || bytes.Count(b.Bytes(), []byte("\n")) != 1 {
		t.Fatal(err)
	}
	if len(d.Chain) != 2 || d.Chain[1].PID != 12 || len(d.Deadlocks) != 1 || d.Missing[0].PID != 14 || d.Followed[0].Threads[0].ID != 13 {
		t.Errorf("%+v", d)
	}
}

// circle is two processes that wait for each other.
func circle() *profile.Group {
	g := group()
	g.Profiles, g.Missing, g.More = g.Profiles[:2], nil, 0
	make, shell := g.Profiles[0], g.Profiles[1]
	make.Threads[0].Wait.Peer = profile.Peer{PID: 12, Name: "s\x1bh", Thread: 13, Act: profile.Write}
	make.Threads[0].Wait.Call, make.Threads[0].Wait.Object = "read", "fd 5 pipe:[7]"
	shell.Threads = shell.Threads[1:2]
	shell.Threads[0].Wait = &profile.Wait{Call: "flock", Lock: profile.FileLock, Object: "fd 3 /l", OwnerPID: 11,
		Peer: profile.Peer{PID: 11, Name: "make", Thread: 11, Act: profile.Release}}
	g.Deadlocks = profile.Circles(g.Waiters())
	return g
}

// TestGroupDeadlock tells of a circle through two processes as one, and once.
func TestGroupDeadlock(t *testing.T) {
	const told = `main thread of make [11] waits in read: fd 5 pipe:[7], for thread 13 of s\x1bh [12] to write, ` +
		`which waits for file lock fd 3 /l, held by main thread of make [11]`
	for name, write := range map[string]GroupWriter{"tree": GroupTree(Options{}), "summary": GroupBrief(Options{Width: 100})} {
		var b bytes.Buffer
		if err := write(&b, circle()); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(strings.Join(strings.Fields(b.String()), " "), " "+goesOn, " ")
		if strings.Count(text, "Deadlock: "+told) != 1 || strings.Count(text, "Deadlock:") != 1 {
			t.Errorf("%s:\n%s", name, b.String())
		}
	}
	var b bytes.Buffer
	if err := GroupJSON(&b, circle()); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Deadlocks [][]struct {
			ID, PID int
			Process string
			Wait    struct{ Peer struct{ PID, Thread int } }
		}
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil || len(d.Deadlocks) != 1 || len(d.Deadlocks[0]) != 2 {
		t.Fatalf("%v, %+v", err, d)
	}
	for i, w := range d.Deadlocks[0] {
		next := d.Deadlocks[0][1-i]
		if w.Wait.Peer.PID != next.PID || w.Wait.Peer.Thread != next.ID || w.Process == "" {
			t.Errorf("%+v", w)
		}
	}
}

// TestGroupFoldsIdle has one report on processes that are alike, which names the others.
func TestGroupFoldsIdle(t *testing.T) {
	g := &profile.Group{}
	for i := range 10 {
		g.Profiles = append(g.Profiles, &profile.Profile{
			Target:  task.Info{PID: 100 + i, Name: "sleep"},
			Threads: []*profile.Thread{{ID: task.ThreadID(100 + i), State: task.Sleeping, Samples: 1, Empty: 1}},
		})
	}
	for fold, want := range map[bool][]string{
		true: {
			"Processes:       10", "  - sleep [100] and 9 like it, 1 thread",
			"9 more like this one: sleep [101], sleep [102], sleep [103], sleep [104], sleep [105], sleep [106], sleep [107], sleep [108] and 1 more", "Process:         sleep [100]",
		},
		false: {"  - sleep [109], 1 thread", "Process:         sleep [109]"},
	} {
		var b bytes.Buffer
		if err := GroupTree(Options{FoldIdle: fold})(&b, g); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		for _, line := range want {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, line) }) {
				t.Errorf("%t: no %q in\n%s", fold, line, b.String())
			}
		}
		if n := strings.Count(b.String(), "Process:  "); n != map[bool]int{true: 1, false: 10}[fold] {
			t.Errorf("%t: %d reports", fold, n)
		}
	}
}
