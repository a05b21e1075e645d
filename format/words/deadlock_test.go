package words

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// knot returns a process in which threads 2 and 3 wait for each other, and others for them.
func knot(function, file string, others ...*profile.Thread) *profile.Profile {
	image := &profile.Image{Path: "/bin/shop", Main: true}
	p := &profile.Profile{Target: task.Info{PID: 1, OS: task.Linux}, Snapshots: 1}
	p.Threads = append([]*profile.Thread{}, others...)
	var waiters []profile.Waiter
	for id := task.ThreadID(2); id <= 3; id++ {
		w := profile.Wait{Call: "futex", Lock: profile.Mutex, Variable: fmt.Sprintf("lock%d[abi:cxx11]", id), Owner: 5 - id}
		n := &profile.Node{Location: profile.Location{Image: image, Function: function, File: file, Line: int(id)}, Count: 1}
		p.Threads = append(p.Threads, &profile.Thread{ID: id, Name: "w", State: task.Sleeping, Wait: &w, Roots: []*profile.Node{n}})
		waiters = append(waiters, profile.Waiter{ID: id, Name: "w", Wait: w})
	}
	p.Deadlocks = []profile.Deadlock{{Waiters: waiters, Looks: 1}}
	return p
}

func joining(id, other task.ThreadID, main bool) *profile.Thread {
	return &profile.Thread{ID: id, Main: main, Wait: &profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: other}}
}

func tableOf(p *profile.Profile, width int) string {
	line := NewStackLine(p, width)
	t := line.DeadlockTable(&p.Deadlocks[0], p)
	return t.Title + "\n" + strings.Join(t.Lines(width, 8, ""), "\n") + "\n"
}

// TestDeadlockTable puts a thread of a deadlock into a line, and its place below where that
// does not fit; neither the function nor its line is ever cut.
func TestDeadlockTable(t *testing.T) {
	const long = "std::pair<int, long> acme::ledger::AccountRepositoryWithCaching<std::string, int>::transferFundsBetweenAccounts(std::string const&)"
	for name, c := range map[string]struct {
		of   *profile.Profile
		want string
	}{
		"short": {knot("take", "/src/d.c", joining(1, 4, true), joining(4, 2, false)), `2 threads wait for each other
  thread 2 "w"  waits for mutex lock2  held by thread 3  in take (d.c:2)
  thread 3 "w"  waits for mutex lock3  held by thread 2  in take (d.c:3)
  2 more threads wait for them, the main thread among these
`},
		"long": {knot(long, "/src/account_repository_with_caching.cpp", joining(1, 2, true)), `2 threads wait for each other
  thread 2 "w"  waits for mutex lock2  held by thread 3
      in AccountRepositoryWithCaching<…>::transferFundsBetweenAccounts(…)
      (account_repository_with_caching.cpp:2)
  thread 3 "w"  waits for mutex lock3  held by thread 2
      in AccountRepositoryWithCaching<…>::transferFundsBetweenAccounts(…)
      (account_repository_with_caching.cpp:3)
  the main thread waits for them, too
`},
		"below": {knot("ns::Accounts::transfer(int)", "/src/account_repository.cpp", joining(4, 3, false)), `2 threads wait for each other
  thread 2 "w"  waits for mutex lock2  held by thread 3
      in ns::Accounts::transfer(int) (account_repository.cpp:2)
  thread 3 "w"  waits for mutex lock3  held by thread 2
      in ns::Accounts::transfer(int) (account_repository.cpp:3)
  thread 4 waits for them, too
`},
		"no name": {knot("", ""), `2 threads wait for each other
  thread 2 "w"  waits for mutex lock2  held by thread 3
  thread 3 "w"  waits for mutex lock3  held by thread 2
`},
	} {
		got := tableOf(c.of, 80)
		if got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
		for line := range strings.Lines(tableOf(c.of, 40)) {
			if strings.HasPrefix(line, "  thread") && Columns(strings.TrimSpace(line)) > 40 {
				t.Errorf("%s: too wide: %q", name, line)
			}
		}
	}
}

// TestDeadlockTableOfJoins has a cycle through a join, with the main thread in it.
func TestDeadlockTableOfJoins(t *testing.T) {
	p := knot("take", "/src/d.c")
	p.Threads[0].Main = true
	join := profile.Wait{Call: "futex", Lock: profile.ThreadEnd, Owner: 3}
	p.Threads[0].Wait, p.Deadlocks[0].Waiters[0].Wait = &join, join
	const want = `2 threads wait for each other
  thread 2 "w" (main)  waits for thread 3 to end                      in take (d.c:2)
  thread 3 "w"         waits for mutex lock3      held by thread 2  in take (d.c:3)
`
	if got := tableOf(p, 100); got != strings.ReplaceAll(want, "                      in", "                    in") {
		t.Errorf("%s", got)
	}
}

// TestDeadlockThatEnded says that threads waited, and not where they are now.
func TestDeadlockThatEnded(t *testing.T) {
	p := knot("take", "/src/d.c", joining(1, 2, true))
	p.Snapshots, p.Start, p.End = 10, time.Unix(0, 0), time.Unix(10, 0)
	for _, one := range p.Threads {
		one.Looks, one.Waits = 4, []profile.Waited{{Wait: *one.Wait, Looks: 4}}
	}
	d := &p.Deadlocks[0]
	d.To, d.Looks = 10*time.Second, 4
	if got := tableOf(p, 80); !strings.Contains(got, "in take (d.c:2)") || !strings.Contains(got, "to the end, in all 4 checks\n") || !strings.Contains(got, "the main thread waits") {
		t.Errorf("it lasts:\n%s", got)
	}
	d.Ended = true
	if got := tableOf(p, 80); strings.Contains(got, " wait ") || strings.Contains(got, " waits ") || strings.Contains(got, "take") || !strings.Contains(got, "waited for mutex lock2") {
		t.Errorf("it ended:\n%s", got)
	}
	d.Ended, d.From, d.Looks = false, 8*time.Second, 2
	if got := tableOf(p, 80); strings.Contains(got, "take") {
		t.Errorf("most samples are from before it:\n%s", got)
	}
}

// TestDeadlockOfOne has one that waits for itself, and another that waits for it.
func TestDeadlockOfOne(t *testing.T) {
	p := knot("take", "/src/d.c")
	d := &p.Deadlocks[0]
	d.Waiters = d.Waiters[:1]
	d.Waiters[0].Wait.Owner = 2
	const want = "a thread waits for itself\n" +
		"  thread 2 \"w\"  waits for mutex lock2  held by itself  in take (d.c:2)\n" +
		"  thread 3 \"w\" waits for it, too\n"
	if got := tableOf(p, 80); got != want {
		t.Errorf("%s", got)
	}
}

// TestDeadlockOfMany cuts a long one, and counts the rest.
func TestDeadlockOfMany(t *testing.T) {
	p := knot("take", "/src/d.c")
	w := p.Deadlocks[0].Waiters
	p.Deadlocks[0].Waiters = append(w, w...)
	line := NewStackLine(p, 80)
	table := line.DeadlockTable(&p.Deadlocks[0], p)
	lines := table.Lines(80, 3, "")
	if len(lines) != 4 || lines[3] != "  … 1 more thread" || table.Title != "each of 4 threads waits for the next, and the last for the first" {
		t.Errorf("%s\n%q", table.Title, lines)
	}
}

// TestChainEndsAtItself: a thread whose process has both ends of its pipe waits for nobody else.
func TestChainEndsAtItself(t *testing.T) {
	p := knot("take", "/src/d.c")
	w := profile.Wait{Call: "read", Object: "fd 3 pipe:[9]", Peer: profile.Peer{PID: 1, Name: "shop", Action: profile.Write, Self: true}}
	line := NewStackLine(p, 120)
	table := line.ChainTable([]profile.Waiter{{ID: 2, Name: "w", Wait: w}}, p)
	got := strings.Join(table.Lines(120, 8, ""), "\n")
	if want := "waits in read: fd 3 pipe:[9], which only the process itself has open for writing"; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}
