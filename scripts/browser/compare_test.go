//go:build browser

package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"stacksnap/format/html"
	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// improved is worked, sampled again after parse has become faster and render slower; the
// hostile name is gone, and fresh is new.
func improved() *profile.Profile {
	main := frame(demo, "main", 0,
		frame(demo, "parse", 100, frame(demo, "lex", 50)),
		frame(demo, "render", 700),
		frame(demo, "fresh", 150))
	return process(thread(1, "demo", task.Running, main), thread(2, "waiter", task.Sleeping, frame(libc, "start_thread", 0, frame(libc, "epoll_wait", 1000))))
}

// showDiff shows the page of a comparison.
func showDiff(t *testing.T, before, after *profile.Profile, o diff.Options) *page {
	t.Helper()
	d, err := diff.New(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "it.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := html.Write(f, report.OfDiff(&words.Comparison{Diff: d, Tool: "stacksnap test", Files: [2]string{"old.json", "new.json"}}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, file)
}

// TestCompared: widths are those of one side, colours and numbers those of the change.
func TestCompared(t *testing.T) {
	p := showDiff(t, worked(), improved(), diff.Options{Measure: diff.ByCPU, By: profile.ByProcess})
	p.shot("compared")
	p.is("#title", "old.json → new.json")
	p.wants("#summary", "render grew from 20.0 % to 70.0 % of the CPU time")
	p.wants("#threads", "All threads")
	row := func(name string) string {
		for line := range strings.Lines(p.text("#table tbody")) {
			if strings.HasPrefix(line, name+"\t") {
				return strings.TrimSuffix(line, "\n")
			}
		}
		return ""
	}
	for name, want := range map[string]string{
		"render": "render\tdemo\t20.0 %\t70.0 %\t+50.0\t30.0 %\t70.0 %\t+40.0",
		"lex":    "lex\tdemo\t40.0 %\t5.0 %\t−35.0\t40.0 %\t5.0 %\t−35.0",
		"fresh":  "fresh\tdemo\t0.0 %\t15.0 %\t+15.0\t0.0 %\t15.0 %\t+15.0",
		"main":   "main\tdemo\t0.0 %\t0.0 %\t=\t100.0 %\t100.0 %\t=",
	} {
		if got := row(name); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if first := p.text("#table tbody tr:first-child"); !strings.HasPrefix(first, "render") {
		t.Error(first)
	}
	// main, and below it render (70 % after), parse (15 %), fresh (15 %).
	same, grew, shrank, fresh := p.pixel(0.5, 1), p.pixel(0.3, 2), p.pixel(0.72, 2), p.pixel(0.95, 2)
	if !redder(grew, same) || !redder(fresh, grew) || !redder(same, shrank) {
		t.Errorf("%s the same, %s grew, %s new, %s shrank", same, grew, fresh, shrank)
	}
	p.clickFlame(0.3, 2)
	p.wants("#details", "render", "30.0 % before, 70.0 % after: +40.0; itself 20.0 % before, 70.0 % after: +50.0")
	p.key(kb.Escape)
	p.search("^fresh$")
	p.key(kb.Enter)
	p.wants("#details", "0.0 % before, 15.0 % after: +15.0 (new)")
	p.key(kb.Escape)
	p.do(chromedp.SetValue(chromedp.CSS("#measure"), "before"))
	p.script("document.getElementById('measure').dispatchEvent(new Event('change'))")
	p.clickFlame(0.3, 2) // parse, which had 60 %
	p.wants("#details", "parse", "60.0 % before, 15.0 % after: −45.0")
	p.shot("compared-before")
	p.key(kb.Escape)
	p.search("^fresh$")
	p.key(kb.Enter)
	p.wants("#details", "(new)")
	p.focusFlame()
	p.key(kb.Enter) // it has no width, and cannot be zoomed to
	p.is("#path", "All threads")
}

// redder reports whether a colour has more red beside its blue than another one.
func redder(a, b string) bool { return redness(a) > redness(b) }

func redness(color string) int {
	var rgb [3]int
	for i, part := range strings.Split(color, ",") {
		for _, digit := range part {
			rgb[i] = 10*rgb[i] + int(digit-'0')
		}
	}
	return rgb[0] - rgb[2]
}

// TestComparedCounts shows counts where they are compared as they are.
func TestComparedCounts(t *testing.T) {
	p := showDiff(t, worked(), improved(), diff.Options{Scale: diff.AsCounted, By: profile.ByThread})
	p.wants("#threads", "The main thread", "1,000 before, 1,000 after: the same")
	p.wants("#table tbody", "render\tdemo\t200\t700\t+500\t300\t700\t+400")
	p.click("#table th:nth-child(3) button")
	p.wants("#table tbody tr:first-child", "epoll_wait")
}
