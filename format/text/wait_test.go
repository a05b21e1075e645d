package text

import (
	"bytes"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

func TestWaits(t *testing.T) {
	var b bytes.Buffer
	if err := Tree(&b, report.Of(fixtures.Waiters()), words.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Deadlock:        2 threads wait for each other\n" +
			`  thread 101 "a"  waits for mutex 0x7f0010  held by thread 102` + "\n" +
			`  thread 102 "b"  waits for mutex 0x7f0040  held by thread 101` + "\n" +
			"  thread 107 waits for them, too\n",
		"Deadlock:        a thread waits for itself\n  thread 103  waits for mutex 0x7f0010  held by itself\n",
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
	if n := len(fixtures.Waiters().FoldThreads().Threads); n != 9 {
		t.Errorf("folded to %d threads", n)
	}
}

// TestWaitsOfManySnapshots: each wait stands with the looks that found it, and
// what hardly any of them found is not told.
func TestWaitsOfManySnapshots(t *testing.T) {
	var b bytes.Buffer
	if err := Tree(&b, report.Of(fixtures.SampledWaiters()), words.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Deadlock:        2 threads wait for each other; seen from +500 ms to the end, in all 20 checks\n",
		"Deadlock:        2 threads waited for each other; seen from +500 ms to +2.00 s, in 4 checks, and then no more\n" +
			`  thread 101 "a"  waited for mutex 0x7f0010  held by thread 102` + "\n",
		"Deadlock:        2 threads wait for each other; seen at +10.00 s, in the last check alone\n",
		`  waits for mutex 0x7f0010, held by thread 102 "b": in all 20 checks` + "\n",
		`  waits for mutex 0x7f0040, held by thread 101 "a": in 19 of 20 checks` + "\n",
		"  waits in read: fd 3 pipe:[7]: in the only check\n",
		"  waits for mutex 0x7f0040, held by one thread after another: in 6 of 20 checks\n",
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

func TestHangReport(t *testing.T) {
	wants := [][]string{
		{
			"Hang:            blocked for 512 ms\n", "Hang Start:      2026-11-21 09:00:00.000 +0000\n",
			"Hang End:        2026-11-21 09:00:00.512 +0000\n", `Hang Thread:     thread 101 "a"` + "\n",
			"    +250 ms  for 62.0 ms, 6 samples: spin\n",
			`    +312 ms  for 200 ms, 19 samples: __lll_lock_wait, waits for mutex 0x7f0010, held by thread 102 "b"` + "\n",
			"Deadlock:",
		},
		{"Hang:            busy for at least 10.00 s, and still\n", "Reported:        while it went on: it was sampled"},
		{"Process:"},
	}
	for i, r := range fixtures.Hangs() {
		var b bytes.Buffer
		if err := Tree(&b, report.OfHang(r), words.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants[i] {
			if !strings.Contains(b.String(), want) {
				t.Errorf("report %d has no %q:\n%s", i, want, b.String())
			}
		}
	}
}

// TestHangSummary says of a hang that may have begun before the watch that it may be longer.
func TestHangSummary(t *testing.T) {
	for i, want := range []string{
		"hang: blocked for 512 ms, from 2026-11-21 09:00:00.000 +0000: thread 101 \"a\"\n",
		"hang: busy for at least 10.00 s, and still, from 2026-11-21 09:00:00.000 +0000 or before: thread",
	} {
		got := string(golden.WrittenReport(t, Summary, report.OfHang(fixtures.Hangs()[i]), words.Options{}))
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q is not first in:\n%s", want, got)
		}
	}
}

// printed is the bound of what is told of deadlocks.
const printed = 20

// TestManyDeadlocks are printed up to a bound, and the others counted.
func TestManyDeadlocks(t *testing.T) {
	for more, want := range []string{"", "1 further deadlock", "2 further deadlocks"} {
		p := fixtures.Waiters()
		one := p.Deadlocks[1]
		p.Deadlocks = nil
		for range printed + more {
			p.Deadlocks = append(p.Deadlocks, one)
		}
		var b bytes.Buffer
		if err := Tree(&b, report.Of(p), words.Options{}); err != nil {
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

// TestHangOfTheMainThread is told by that name.
func TestHangOfTheMainThread(t *testing.T) {
	r := fixtures.Hangs()[0]
	r.Profile.Threads[0].Main = true
	for name, c := range map[string]struct {
		write report.Writer
		want  string
	}{"tree": {Tree, "Hang Thread:     main thread\n"}, "summary": {Summary, "+0000: main thread\n"}} {
		if got := string(golden.WrittenReport(t, c.write, report.OfHang(r), words.Options{})); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, got)
		}
	}
}
