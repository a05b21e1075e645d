//go:build browser

package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"stacksnap/format/html"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// TestClicks zoom in by the graph and out by the path.
func TestClicks(t *testing.T) {
	p := show(t, one(worked()))
	p.shot("worked")
	p.is("#path", "2 threads")
	p.clickFlame(0.1, 3) // all, thread, main, parse
	p.wants("#path", "parse")
	p.wants("#details", "parse", "/opt/demo/bin/demo", "600 ms", "30.0 %", "itself 200 ms")
	p.wants("#table tbody tr", "lex", "66.7 %")
	p.shot("zoomed")
	p.click("#path button:first-child")
	p.is("#path", "2 threads")
}

// TestTable sorts, and a click on a name searches for it.
func TestTable(t *testing.T) {
	p := show(t, one(worked()))
	p.wants("#table tbody tr", "epoll_wait", "libc.so.6", "50.0 %")
	p.click("#table th:nth-child(5) button")
	p.wants("#table tbody tr:nth-child(2)", "main")
	p.click("#table th:first-child button")
	if names := strings.Fields(p.text("#table tbody")); names[0] != "</script><script>window.taken" {
		t.Errorf("%q", names)
	}
	p.click("#table tbody tr:nth-child(2) button")
	p.is("#found", "50.0 % in 1 place")
}

// TestRecursion counts a function once that is on a stack twice.
func TestRecursion(t *testing.T) {
	p := show(t, one(worked()))
	p.search("^lex$")
	p.is("#table tbody", "lex\tdemo\t400 ms\t20.0 %\t400 ms\t20.0 %")
	p.is("#found", "20.0 % in 1 place")
}

// TestDrawn: frames are where they are said to be, and nothing is where there is none.
func TestDrawn(t *testing.T) {
	p := show(t, one(worked()))
	main, beside := p.pixel(0.49, 2), p.pixel(0.51, 2)
	if main == beside || p.pixel(0.48, 4) != "0,0,0" || p.pixel(0.19, 4) != main || p.pixel(0.21, 4) != "0,0,0" {
		t.Errorf("%s, %s, %s, %s", main, beside, p.pixel(0.48, 4), p.pixel(0.19, 4))
	}
	p.clickFlame(0.4, 3) // render, which is as wide as the page then
	if p.pixel(0.95, 3) != main || p.pixel(0.3, 4) != main || p.pixel(0.4, 4) != "0,0,0" {
		t.Errorf("zoomed: %s, %s, %s", p.pixel(0.95, 3), p.pixel(0.3, 4), p.pixel(0.4, 4))
	}
}

// TestSearch by regular expressions, wrong ones among them.
func TestSearch(t *testing.T) {
	p := show(t, one(worked()))
	p.search("^(lex|ren)")
	p.is("#found", "35.0 % in 2 places")
	if lex, parse := p.pixel(0.02, 4), p.pixel(0.02, 3); lex != "224,33,138" || parse != "233,235,239" {
		t.Errorf("lex is drawn in %s, and parse, which does not match, in %s", lex, parse)
	}
	p.shot("search")
	p.key(kb.Enter)
	p.wants("#details", "lex")
	p.key(kb.Enter, kb.Enter) // there is one in it
	p.wants("#details", "render")
	p.key(kb.Escape)
	p.is("#found", "")
	p.search("nowhere")
	p.is("#found", "no match")
	p.search("(")
	p.wants("#found", "not a regular expression")
	p.search("libc")
	p.is("#found", "50.0 % in 1 place")
}

// TestKeys move, zoom, hide and turn.
func TestKeys(t *testing.T) {
	p := show(t, one(worked()))
	p.focusFlame()
	p.key(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown)
	p.wants("#details", "parse")
	p.key(kb.ArrowRight)
	p.wants("#details", "render")
	p.key(kb.ArrowRight)
	p.wants("#details", "found_by_scan", "(guess)", "no unwind information")
	p.key(kb.ArrowLeft, kb.ArrowLeft, kb.Enter)
	p.wants("#path", "parse")
	p.key(kb.Backspace)
	p.wants("#path", "main")
	p.key(kb.Escape)
	p.is("#path", "2 threads")
	p.key(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, "h")
	p.wants("#hidden", "hidden: parse")
	p.wants("#table tbody", "lex")
	if strings.Contains(p.text("#table tbody"), "parse") {
		t.Error("it is not hidden")
	}
	p.key(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown)
	p.wants("#details", "lex")
	p.shot("hidden")
	p.key("u", "i")
	p.is("#hidden", "")
	p.wants("#shape", "Flame")
	p.shot("flame")
	p.key(kb.ArrowUp)
	p.wants("#details", "demo")
	p.key("?")
	p.wants("#keys", "Backspace")
	p.shot("keys")
	p.key(kb.Escape)
	if eval[bool](p, "!document.getElementById('keys').hidden") {
		t.Error("the keys are still shown")
	}
}

// TestThreads are chosen by mouse and keys, together and apart.
func TestThreads(t *testing.T) {
	p := show(t, one(worked()))
	p.wants("#threads", "All threads", "Thread 1 demo (main)", "runnable 1,000", "Thread 2 waiter", "waits in epoll_wait: fd 4 anon_inode:[eventpoll]: in all 10 checks")
	p.click("#thread-2")
	p.is("#path", "Thread 2 waiter")
	p.wants("#waits", "waits in epoll_wait")
	p.wants("#table tbody", "epoll_wait", "100.0 %")
	p.shot("thread")
	p.do(chromedp.Focus(chromedp.CSS("#threads")))
	p.key(kb.ArrowUp, kb.Enter)
	p.is("#path", "Thread 1 demo")
	p.script("document.getElementById('thread-2').dispatchEvent(new MouseEvent('click', {ctrlKey: true, bubbles: true}))")
	p.is("#path", "2 threads")
	p.click("#apart")
	p.focusFlame()
	p.key(kb.ArrowDown)
	p.wants("#details", "main") // without a thread between
	p.do(chromedp.SendKeys(chromedp.CSS("#thread-filter"), "EPOLL"))
	if n := eval[int](p, "document.querySelectorAll('#threads li:not([hidden])').length"); n != 1 {
		t.Errorf("%d threads", n)
	}
}

// TestMeasures weigh by samples, time and CPU time.
func TestMeasures(t *testing.T) {
	p := show(t, one(worked()))
	for measure, want := range map[string]string{"samples": "2,000 samples", "time": "2.00 s", "cpu": "1.00 s"} {
		p.script("const m = document.getElementById('measure'); m.value = '" + measure + "'; m.dispatchEvent(new Event('change'))")
		p.wants("#details", want)
	}
}

// TestDeadlock is drawn, told, and leads to its threads.
func TestDeadlock(t *testing.T) {
	p := show(t, one(locked()))
	p.shot("deadlock")
	p.wants("#summary", "2 of 3 threads are deadlocked")
	p.wants("#deadlocks", "2 threads wait for each other", `thread 3 "journal"`, "for mutex 0x55d0c0a04060", "in lock_both", "← lock_both ← audit")
	if n := eval[[]int](p, "['.who', '.lock', '.arrow'].map((s) => document.querySelectorAll('#deadlocks svg ' + s).length)"); n[0] != 2 || n[1] != 2 || n[2] != 4 {
		t.Errorf("%v", n)
	}
	p.wants("#threads", "deadlocked")
	p.click("#deadlocks li:nth-child(2) button")
	p.is("#path", "Thread 3 journal")
}

// TestDeadlockOfProcesses leads to the threads of each.
func TestDeadlockOfProcesses(t *testing.T) {
	p := show(t, lockedTogether())
	p.wants("#deadlocks", "2 threads wait for each other, of several processes", "of server [78] to write", "held by thread 3")
	p.wants("#threads", "deadlocked")
	p.click("#deadlocks li:nth-child(2) button")
	p.is("#path", "Thread 5 worker")
	p.click("#deadlocks li:nth-child(1) button")
	p.is("#path", "Thread 3 journal")
}

// TestNamesStayText: no name becomes an element or a program.
func TestNamesStayText(t *testing.T) {
	for name, make := range map[string]func() *profile.Profile{"worked": worked, "locked": locked} {
		p := show(t, one(make()))
		if eval[bool](p, "window.taken !== undefined || document.querySelectorAll('img').length > 0 || document.scripts.length !== 2") {
			t.Errorf("%s: a name was taken for markup", name)
		}
		p.wants("body", "</script><script>window.taken = 1</script>")
	}
}

// TestThemes are those of the system, until one is chosen.
func TestThemes(t *testing.T) {
	p := show(t, one(worked()))
	back := func() string { return eval[string](p, "getComputedStyle(document.body).backgroundColor") }
	light := back()
	p.key("t")
	dark := back()
	p.shot("dark")
	if light == dark || eval[string](p, "document.getElementById('theme').value") != "dark" {
		t.Errorf("%s and %s", light, dark)
	}
	p.do(systemTheme("dark"))
	p.key("t")
	if got := back(); got != light {
		t.Errorf("light was chosen: %s", got)
	}
	p.script("const m = document.getElementById('theme'); m.value = ''; m.dispatchEvent(new Event('change'))")
	if got := back(); got != dark {
		t.Errorf("the system is dark: %s", got)
	}
}

// TestGroup has several processes on one page.
func TestGroup(t *testing.T) {
	other := locked()
	other.Target.PID, other.Target.Name = 78, "other"
	p := show(t, &profile.Group{Tool: "stacksnap test", Profiles: []*profile.Profile{locked(), other}, Missing: []profile.Missing{{PID: 5, Why: "process 5 is gone"}}})
	p.wants("#threads", "demo [77]", "other [78]")
	p.wants("#facts", "process 5 is gone", "Process", "other [78]")
	p.is("#path", "6 threads")
	p.click("#threads .process:nth-of-type(6)")
	p.is("#path", "3 threads")
	p.shot("group")
}

// TestNothing: a process without threads is a page, too.
func TestNothing(t *testing.T) {
	p := show(t, one(process()))
	p.is("#path", "0 threads")
	p.focusFlame()
	p.key(kb.ArrowDown, kb.Enter, "n", "h", "i")
	p.clickFlame(0.5, 0)
	p.wants("#table-note", "0 in all")
}

// TestMeasureAtFirst is CPU time of what computes, and all time of what waits.
func TestMeasureAtFirst(t *testing.T) {
	idle := thread(1, "demo", task.Sleeping, frame(libc, "start_thread", 0, frame(demo, "poll_once", 400), frame(libc, "epoll_wait", 600)))
	busy := thread(2, "worker", task.Running, frame(demo, "work", 200, frame(libc, "read", 800)))
	for want, p := range map[string]*profile.Profile{"time": process(idle), "cpu": process(idle, busy)} {
		file := filepath.Join(t.TempDir(), "it.html")
		var b bytes.Buffer
		if err := html.Write(&b, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		shown := open(t, file)
		if got := eval[string](shown, "document.getElementById('measure').value"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
