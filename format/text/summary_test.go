package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// deadlockedMany is twenty threads: two in a deadlock, one that waits for one of them, and
// others that have nothing to do.
func deadlockedMany() *profile.Profile {
	p := fixtures.Linux()
	demo, libc := p.Images[1], p.Images[2]
	lock := func(owner task.ThreadID, addr task.Addr) *profile.Wait {
		return &profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: addr, Owner: owner, OwnerName: "w"}
	}
	waits := func(id task.ThreadID, w *profile.Wait, function string) *profile.Thread {
		return &profile.Thread{ID: id, Name: "w", State: task.Sleeping, Wait: w, Roots: fixtures.Stack(
			fixtures.At(libc, "start_thread", 755, 0x7f10a2c89134), fixtures.At(demo, function, 4, 0x55d0c0a01300), fixtures.At(demo, "take", 9, 0x55d0c0a01301),
			fixtures.At(libc, "pthread_mutex_lock", 1, 0x7f10a2c80000), fixtures.At(libc, "__lll_lock_wait", 29, 0x7f10a2c8607d))}
	}
	idles := func(id task.ThreadID, call, function string) *profile.Thread {
		return &profile.Thread{ID: id, Name: "w", State: task.Sleeping, Wait: &profile.Wait{Call: call}, Roots: fixtures.Stack(
			fixtures.At(libc, "start_thread", 755, 0x7f10a2c89134), fixtures.At(demo, function, 4, 0x55d0c0a01300), fixtures.At(libc, call, 29, 0x7f10a2c8607d))}
	}
	main := waits(4242, &profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 2, OwnerName: "w"}, "main")
	main.Main = true
	p.Threads = []*profile.Thread{main, waits(2, lock(3, 0x7f0010), "ab"), waits(3, lock(2, 0x7f0020), "ba")}
	for i := range task.ThreadID(3) {
		p.Threads = append(p.Threads, waits(10+i, lock(2, 0x7f0020), "audit"))
	}
	for i := range task.ThreadID(9) {
		p.Threads = append(p.Threads, idles(20+i, "futex", "bioProcessBackgroundJobs"))
	}
	for i := range task.ThreadID(4) {
		p.Threads = append(p.Threads, idles(40+i, "epoll_wait", "event_loop"))
	}
	p.Deadlocks = []profile.Deadlock{{Looks: 1, Waiters: []profile.Waiter{
		{ID: 2, Name: "w", Wait: *lock(3, 0x7f0010)}, {ID: 3, Name: "w", Wait: *lock(2, 0x7f0020)},
	}}}
	p.Notes, p.Walks, p.Bottoms = nil, 0, 0
	return fixtures.Tally(p)
}

func TestSummaryGolden(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"summary_linux.txt": fixtures.Linux(), "summary_darwin.txt": fixtures.Darwin(), "summary_sampled.txt": fixtures.Stated(), "summary_deadlock.txt": deadlockedMany(),
		"summary_merged.txt": deadlockedMany().FoldThreads(), "summary_none.txt": fixtures.NoThreads(), "summary_translated.txt": fixtures.Translated(),
		"summary_hostile.txt": fixtures.Hostile(), "summary_recursion.txt": fixtures.Recursion(9_000),
		"summary_focus.txt": fixtures.Stated().Select(fixtures.Matching("hot"), nil, nil),
	} {
		t.Run(name, func(t *testing.T) {
			checkSummary(t, name, golden.WrittenReport(t, Summary, report.Of(p), words.Options{Color: true}), words.SummaryColumns)
		})
	}
	t.Run("ascii", func(t *testing.T) {
		checkSummary(t, "summary_ascii.txt", golden.WrittenReport(t, Summary, report.Of(deadlockedMany()), words.Options{ASCII: true, Width: 72}), 72)
	})
	stuck := golden.WrittenReport(t, Summary, report.OfHang(fixtures.HangOf()), words.Options{})
	checkSummary(t, "summary_hang.txt", bytes.TrimSuffix(stuck, []byte("\n")), words.SummaryColumns)
	checkSummary(t, "summary_group.txt", golden.WrittenReport(t, Summary, report.OfGroup(fixtures.Group()), words.Options{}), words.SummaryColumns)
}

// checkSummary requires that it is short.
func checkSummary(t *testing.T, name string, got []byte, width int) {
	t.Helper()
	fitsBrief(t, string(got), width)
	golden.Check(t, name, got)
}

func fitsBrief(t *testing.T, text string, width int) {
	t.Helper()
	if n := strings.Count(text, "\n"); n > summaryLines || n == 0 || !strings.HasSuffix(text, "\n") {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if words.Columns(line) > width || strings.ContainsAny(line, "\x1b\r\t") || strings.HasSuffix(line, " ") {
			t.Errorf("%d columns: %q", words.Columns(line), line)
		}
	}
}

// TestSummaryIsBrief, whatever there is to say: of many stacks, deadlocks, processes, notes
// and long names.
func TestSummaryIsBrief(t *testing.T) {
	long := strings.Repeat("wide 漢字 ", 90)
	for _, n := range []int{1, 2, 19, 20, 21, 60} {
		p := fixtures.Sampled()
		if n%2 == 1 {
			p = fixtures.Linux()
		}
		p.Threads = nil
		p.Target.Name = long
		for i := range n {
			th := deadlockedMany().Threads[1]
			th.ID, th.Name, th.Samples, th.States = task.ThreadID(i+1), long, 1, profile.States{task.Sleeping: 1}
			th.Roots[0].Children[0].Function = fmt.Sprint(long, i)
			th.Wait.Owner, th.Wait.Object = task.ThreadID(i+2), long
			th.Waits, th.Looks = []profile.Waited{{Wait: *th.Wait, Looks: 3}}, 3
			if i%3 == 0 {
				th.State, th.States = task.Running, profile.States{task.Running: 1}
			}
			p.Threads = append(p.Threads, th)
			p.Notes = append(p.Notes, long)
			p.Deadlocks = append(p.Deadlocks, profile.Deadlock{Waiters: []profile.Waiter{{ID: 1, Name: long, Wait: *th.Wait}, {ID: 2, Name: long, Wait: *th.Wait}}})
		}
		g := &profile.Group{Profiles: []*profile.Profile{p}, More: n}
		for range n {
			g.Profiles = append(g.Profiles, p)
			g.Missing = append(g.Missing, profile.Missing{PID: 1, Why: long})
		}
		r := fixtures.HangOf()
		r.Profile, r.Name = p, long
		r.Followed = hangreport.Followed{Profiles: g.Profiles, Missing: g.Missing, Deadlocks: p.Deadlocks}
		if n > 0 {
			r.Followed.Chain = p.Deadlocks[0].Waiters
		}
		for _, width := range []int{0, 40} {
			o := words.Options{Width: width}
			most := words.SummaryColumns
			if width > 0 {
				most = min(most, width)
			}
			for _, of := range []*report.Report{report.Of(p), report.OfHang(r), report.OfGroup(g)} {
				text := string(golden.WrittenReport(t, Summary, of, o))
				if of.Hang != nil {
					text = strings.TrimSuffix(text, "\n")
				}
				fitsBrief(t, text, most)
			}
			o.ASCII = true
			text := string(golden.WrittenReport(t, Summary, report.Of(p), o))
			fitsBrief(t, text, most)
			if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
				t.Errorf("not ASCII:\n%s", text)
			}
		}
	}
}
