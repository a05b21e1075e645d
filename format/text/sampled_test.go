package text

import (
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

// TestBusiest has the heaviest stack of the thread that ran most, where that is not the
// main one and it ran at all.
func TestBusiest(t *testing.T) {
	for _, c := range []struct {
		runs  int // of 100 samples of the second thread
		same  int
		title string
	}{
		{0, 0, ""},
		{49, 0, ""},
		{100, 0, "Heaviest stack of thread 4243 \"idle\", which ran most:\n     100 100.0 %  start_thread"},
		{100, 2, "Heaviest stack of the 3 threads that ran most:"},
		{84, 0, ""}, // as the main one
	} {
		p := fixtures.Sampled()
		p.Threads[1].States = profile.States{task.Running: c.runs, task.Sleeping: 100 - c.runs}
		for i := range c.same {
			p.Threads[1].Same = append(p.Threads[1].Same, profile.ThreadName{ID: task.ThreadID(i + 5000)})
		}
		text := string(golden.Written(t, Tree, p))
		if !strings.Contains(text, c.title) || strings.Contains(text, "ran most") != (c.title != "") {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}

// TestHeaviestOfAView is from the outermost frame in, whichever way the trees are turned.
func TestHeaviestOfAView(t *testing.T) {
	const main = "Heaviest stack of the main thread:\n      90  90.0 %  __libc_start_call_main"
	const hung = "Heaviest stack of the thread:\n     100 100.0 %  start_thread"
	for _, p := range []*profile.Profile{fixtures.Sampled(), fixtures.Sampled().Invert(), fixtures.Sampled().GroupBy(profile.ByProcess), fixtures.Sampled().Invert().Prune(50, 1)} {
		if text := string(golden.Written(t, Tree, p)); !strings.Contains(text, main) {
			t.Errorf("no heaviest stack:\n%s", text)
		}
		var b strings.Builder
		if err := Tree(&b, report.OfHang(&hangreport.Report{Thread: 4243, Profile: p, Ended: true}), words.Options{}); err != nil || !strings.Contains(b.String(), hung) {
			t.Errorf("%v: no heaviest stack of the thread:\n%s", err, b.String())
		}
	}
}

// TestSelfTimesFit: they leave out what the time was spent on.
func TestSelfTimesFit(t *testing.T) {
	for width, want := range map[int]bool{0: true, 80: true, 70: false} {
		_, list, _ := strings.Cut(string(golden.WrittenReport(t, Tree, report.Of(fixtures.Sampled()), words.Options{Width: width})), "Self time")
		if strings.Contains(list, "hot(int) (demo)  0.350 s on CPU") != want || !strings.Contains(list, "hot(int) (demo)") {
			t.Errorf("%d columns:\n%s", width, list)
		}
	}
}
