package format_test

import (
	"slices"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task"
)

// TestGroupSummary has the line of each kind.
func TestGroupSummary(t *testing.T) {
	circle := fixtures.Group()
	circle.Profiles[1].Threads[0].Wait = &profile.Wait{Call: "read", Peer: profile.Peer{PID: 11, Thread: 11, Action: profile.Write}}
	circle.Deadlocks = profile.Circles(circle.Waiters())
	many := fixtures.Group()
	many.Profiles[1].Threads[0].Wait.Peer.Thread = 0
	sure := fixtures.Group()
	sure.Profiles = sure.Profiles[1:2]
	unsure := fixtures.Group()
	unsure.Profiles[0].Threads[0].Wait.Peer.Others = true
	for name, c := range map[string]struct {
		of   *profile.Group
		want string
	}{
		"chain":  {fixtures.Group(), `main thread of make [11] waits for s\x1bh [12] to end, which waits for a mutex that demo [4242] has, which is on a CPU, in hot`},
		"circle": {circle, `2 threads wait for each other: main thread of make [11] waits for s\x1bh [12] to end, which waits for make [11] to write`},
		"many":   {many, `, which waits for a mutex that demo [4242] has`},
		"alone":  {sure, `s\x1bh [12]: main thread waits for mutex 0x7f0010, held by thread 4243 "busy" of demo [4242]`},
		"unsure": {unsure, `main thread of make [11] waits in wait4, with s\x1bh [12] at the other end, which waits`},
	} {
		got := words.GroupHeadline(c.of)
		if name == "chain" {
			c.want, _, _ = strings.Cut(c.want, "in hot")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
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
		written := string(golden.WrittenReport(t, text.Tree, report.OfGroup(g), words.Options{FoldIdle: fold}))
		lines := strings.Split(written, "\n")
		for _, line := range want {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, line) }) {
				t.Errorf("%t: no %q in\n%s", fold, line, written)
			}
		}
		if n := strings.Count(written, "Process:  "); n != map[bool]int{true: 1, false: 10}[fold] {
			t.Errorf("%t: %d reports", fold, n)
		}
	}
}
