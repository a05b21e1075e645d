package format

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hang"
	"stacksnap/task"
)

// waiters are the threads of a deadlock, and one that waits for what each else.
func waiters() *profile.Profile {
	const a, b = 0x7f0010, 0x7f0040
	ofFirst := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: a, Owner: 102, OwnerName: "b"}
	ofSecond := profile.Wait{Call: "futex", Lock: profile.Mutex, Addr: b, Owner: 101, OwnerName: "a"}
	p := &profile.Profile{
		Target: task.Info{PID: 100, OS: task.Linux, Arch: task.AMD64}, Snapshots: 1,
		Deadlocks: []profile.Deadlock{
			{Waiters: []profile.Waiter{{ID: 101, Name: "a", Wait: ofFirst}, {ID: 102, Name: "b", Wait: ofSecond}}},
			{Waiters: []profile.Waiter{{ID: 103, Wait: profile.Wait{Lock: profile.Mutex, Addr: a, Owner: 103}}}},
		},
	}
	for i, w := range []profile.Wait{
		ofFirst, ofSecond,
		{Call: "read", Object: "fd 3 pipe:[7]"},
		{Call: "pause"},
		{Call: "flock", Object: "fd 4 /tmp/x", Lock: profile.FileLock, OwnerPID: 100},
		{Call: "flock", Object: "fd 4 /tmp/x", Lock: profile.FileLock, OwnerPID: 77},
		{Call: "futex", Lock: profile.ThreadEnd, Owner: 102},
		{Call: "futex", Lock: profile.ReadWrite, Addr: b, Readers: 2},
		{Call: "futex", Lock: profile.Mutex, Addr: b},
	} {
		p.Threads = append(p.Threads, &profile.Thread{ID: task.ThreadID(101 + i), State: task.Sleeping, Samples: 1, Wait: &w})
	}
	return p
}

func TestWaits(t *testing.T) {
	var b bytes.Buffer
	if err := Tree(Options{})(&b, waiters()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`Deadlock:        thread 101 "a" waits for mutex 0x7f0010, held by thread 102 "b", which waits for mutex 0x7f0040, held by thread 101 "a"` + "\n",
		"Deadlock:        thread 103 waits for mutex 0x7f0010, held by itself\n",
		`  waits for mutex 0x7f0010, held by thread 102 "b"` + "\n",
		"  waits in read: fd 3 pipe:[7]\n",
		"  waits in pause\n",
		"  waits for file lock fd 4 /tmp/x, held by this process\n",
		"  waits for file lock fd 4 /tmp/x, held by process 77\n",
		"  waits for thread 102 to end\n",
		"  waits for rwlock 0x7f0040, held by 2 readers\n",
		"  waits for mutex 0x7f0040\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report has no %q", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
	if n := len(waiters().FoldThreads().Threads); n != 9 {
		t.Errorf("folded to %d threads", n)
	}
}

// sampledWaiters are the same threads after many looks.
func sampledWaiters() *profile.Profile {
	p := waiters()
	p.Snapshots, p.Deadlocks = 1000, p.Deadlocks[:1]
	p.Deadlocks[0].From, p.Deadlocks[0].To, p.Deadlocks[0].Looks = 500*time.Millisecond, 10*time.Second, 20
	ended := p.Deadlocks[0]
	ended.To, ended.Looks, ended.Ended = 2*time.Second, 4, true
	last := p.Deadlocks[0]
	last.From, last.Looks = last.To, 1
	p.Deadlocks = append(p.Deadlocks, ended, last)
	for i, t := range p.Threads {
		t.Samples, t.Looks = 1000, 20
		t.States[task.Sleeping] = 1000
		t.Waits = []profile.Waited{{Wait: *t.Wait, Looks: []int{20, 19, 1, 2, 10, 3, 4, 5, 6}[i], Owners: i == 8}}
	}
	p.Threads[2].Looks = 1
	p.Threads[3].Looks = 1000 // twice in so many
	return p
}

// TestWaitsOfManySnapshots: each wait stands with the looks that found it, and
// what hardly any of them found is not told.
func TestWaitsOfManySnapshots(t *testing.T) {
	var b bytes.Buffer
	if err := Tree(Options{})(&b, sampledWaiters()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`held by thread 101 "a"; stood from +500 ms on to the end, in all 20 looks` + "\n",
		`held by thread 101 "a"; stood from +500 ms to +2.00 s, in 4 looks, and then ended` + "\n",
		`held by thread 101 "a"; seen at +10.00 s, in the last look alone` + "\n",
		`  waits for mutex 0x7f0010, held by thread 102 "b": in all 20 looks` + "\n",
		`  waits for mutex 0x7f0040, held by thread 101 "a": in 19 of 20 looks` + "\n",
		"  waits in read: fd 3 pipe:[7]: in the only look\n",
		"  waits for mutex 0x7f0040, held by one thread after another: in 6 of 20 looks\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report has no %q", want)
		}
	}
	if strings.Contains(b.String(), "pause") {
		t.Error("a thread is told by what it hardly ever does")
	}
	if t.Failed() {
		t.Log(b.String())
	}
}

func TestWaitsInJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, sampledWaiters()); err != nil {
		t.Fatal(err)
	}
	var d jsonDocument
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Stood) != len(d.Deadlocks) || d.Stood[1] != (jsonStood{5e8, 2e9, 4, true}) {
		t.Errorf("%+v", d.Stood)
	}
	want := jsonWaited{jsonWait{Call: "futex", Lock: "mutex", Address: "0x7f0010", Owner: 102, OwnerName: "b"}, 20, false}
	if th := d.Threads[0]; th.Looks != 20 || len(th.Waits) != 1 || th.Waits[0] != want {
		t.Errorf("%d looks, %+v", th.Looks, th.Waits)
	}
}

func hangs() []*hang.Report {
	p := waiters()
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return []*hang.Report{
		{
			Reason: hang.Hang, Thread: 101, Name: "a", Start: start, Duration: 512 * time.Millisecond, Ended: true,
			Kind: hang.Blocked, CPU: 3 * time.Millisecond, Profile: p,
			Phases: []hang.Phase{
				{Start: 250 * time.Millisecond, Duration: 62 * time.Millisecond, Samples: 6, Function: "spin"},
				{Start: 312 * time.Millisecond, Duration: 200 * time.Millisecond, Samples: 19, Function: "__lll_lock_wait", Wait: p.Threads[0].Wait},
			},
		},
		{Reason: hang.Hang, Thread: 101, Start: start, Duration: 10 * time.Second, Kind: hang.Busy, Why: "it was sampled for as long as was asked", Profile: p},
		{Reason: hang.Periodic, Thread: 101, Start: start, Profile: p},
	}
}

func TestHangReport(t *testing.T) {
	wants := [][]string{
		{
			"Hang:            blocked for 512 ms\n", "Hang Start:      2026-11-21 09:00:00.000 +0000\n",
			"Hang End:        2026-11-21 09:00:00.512 +0000\n", `Hang Thread:     thread 101 "a"` + "\n",
			"    +250 ms  for 62.0 ms, 6 samples: spin\n",
			`    +312 ms  for 200 ms, 19 samples: __lll_lock_wait, waits for mutex 0x7f0010, held by thread 102 "b"` + "\n",
			"Deadlock:",
		},
		{"Hang:            busy for 10.00 s, and still\n", "Reported:        while it went on: it was sampled"},
		{"Process:"},
	}
	for i, r := range hangs() {
		var b bytes.Buffer
		if err := Hang(Options{})(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants[i] {
			if !strings.Contains(b.String(), want) {
				t.Errorf("report %d has no %q:\n%s", i, want, b.String())
			}
		}
	}
}

func TestHangLine(t *testing.T) {
	for _, r := range hangs() {
		var b bytes.Buffer
		if err := HangLine(&b, r); err != nil {
			t.Fatal(err)
		}
		var got jsonHang
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		want := newHang(r)
		for _, th := range r.Profile.Threads {
			want.Profile.Threads = append(want.Profile.Threads, newJSONThread(th, imageIndexes(r.Profile)))
		}
		if bytes.Count(b.Bytes(), []byte("\n")) != 1 || !reflect.DeepEqual(&got, want) {
			t.Errorf("%s", b.Bytes())
		}
	}
}

// printed is the bound of what is told of deadlocks.
const printed = 20

// TestManyDeadlocks are printed up to a bound, and the others counted.
func TestManyDeadlocks(t *testing.T) {
	for more, want := range []string{"", "1 further deadlock", "2 further deadlocks"} {
		p := waiters()
		one := p.Deadlocks[1]
		p.Deadlocks = nil
		for range printed + more {
			p.Deadlocks = append(p.Deadlocks, one)
		}
		var b bytes.Buffer
		if err := Tree(Options{})(&b, p); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "Deadlock: "); n != printed {
			t.Errorf("%d of %d deadlocks are printed", n, printed+more)
		}
		if told := strings.Contains(b.String(), "further"); told != (more > 0) || !strings.Contains(b.String(), want) {
			t.Errorf("%d more: %s", more, b.String())
		}
	}
}

// TestLabelsAreQuotedOnce: the label of a queue is in quotation marks already, and is left
// as it is where a shell finds nothing in it.
func TestLabelsAreQuotedOnce(t *testing.T) {
	for given, want := range map[string]string{
		`"com.example.x"`: `"com.example.x"`,
		`"com.example.x" (the target of "it's") (suspended)`: `"com.example.x" (the target of "it's") (suspended)`,
		`"a;b"`:           `"a;b"`,
		`"x" ; evil ; ""`: `"\"x\" ; evil ; \"\""`,
		`"a\b" ; "c"`:     `"\"a\\b\" ; \"c\""`,
		"\"`evil`\"":      "\"\\\"\\`evil\\`\\\"\"",
		`"$(evil)"`:       `"\"\$(evil)\""`,
	} {
		if got := waitedFor(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}
